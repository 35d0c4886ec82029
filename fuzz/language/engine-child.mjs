// Runs programs as the sidecar does, without the process and the pipe around each: some thousands in a second. A child
// process, because a program may take the engine's process down.
import { Engine } from '../../packages/sandbox-daemon/dist/engine/engine.js';
import { loadBinding } from '../../packages/sandbox-daemon/dist/engine/binding.js';
import { Cancellation } from '../../packages/sandbox-daemon/dist/protocol/cancel-signal.js';
import { decodeValue, SandboxError } from '../../packages/sandbox-daemon/dist/protocol/index.js';
import { requests } from '../../packages/sandbox-daemon/dist/protocol/methods.js';
import { runScript } from '../../packages/sandbox-daemon/dist/server/run.js';
import { canonical } from './canonical.mjs';

const engine = new Engine(loadBinding());
// Instructions bound every loop; the clock would depend on the machine.
const limits = { timeoutMs: 60_000, instructions: 20_000_000 };
const params = requests['sandbox/run'].params.parse({ runId: 'fuzz', script: '', scope: {}, limits });

const environment = {
  engine,
  watchdog: { arm() {}, disarm() {} },
  callHost: async () => ({ error: { name: 'Error', message: 'no host' } }),
  console() {},
  signal: new Cancellation(),
};

/** @returns {Promise<import('./judge.d.mts').SandboxOutcome>} */
async function run(script) {
  try {
    const { value, warnings } = await runScript({ ...params, script }, environment);
    return { value: canonical(decodeValue(value)), ...(warnings && { warnings: warnings.map(({ id }) => id) }) };
  } catch (error) {
    if (error instanceof SandboxError) return { code: error.code, message: error.message, ...threw(error) };
    return { untyped: String(error?.stack ?? error) };
  }
}

function threw({ details }) {
  return { name: details.name, construct: details.construct };
}

process.on('message', async ({ sources }) => {
  const outcomes = [];
  for (const source of sources) outcomes.push(await run(source));
  process.send(outcomes);
});
