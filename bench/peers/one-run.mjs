// One run, for a thread or a process of its own. It is bundled before, as the sidecar is: a user would, too.
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { loadBinding } from '../../packages/sandbox-daemon/dist/engine/binding.js';
import { Engine } from '../../packages/sandbox-daemon/dist/engine/engine.js';
import { runScript } from '../../packages/sandbox-daemon/dist/server/run.js';

async function run(params) {
  const { signal } = new AbortController();
  const { value } = await runScript(params, {
    engine: new Engine(loadBinding()),
    watchdog: { arm: () => performance.now(), disarm() {}, now: () => performance.now() },
    signal,
    console() {},
    callHost: () => Promise.reject(new Error('This run has no host functions.')),
  });
  return /** @type {{ json?: unknown }} */ (value).json;
}

if (isMainThread) process.stdout.write(JSON.stringify(await run(JSON.parse(process.argv[2]))));
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- the port of a thread, not a window
else parentPort?.postMessage(await run(workerData));
