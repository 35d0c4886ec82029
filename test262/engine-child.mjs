// Runs tests as the sidecar does, each by the engine that it would get there. A child process: a test may take it down.
import { runInProcess, runParams } from '../bench/peers/engine.mjs';
import { SandboxError } from '@mustard-sandbox/protocol';

const params = runParams({ script: '', limits: { timeoutMs: 5_000, instructions: 50_000_000, scriptBytes: 131_072 } });

/** @param {string} script @returns {Promise<import('./judge.mjs').Outcome>} */
async function run(script) {
  try {
    await runInProcess({ ...params, script });
    return { ended: true };
  } catch (/** @type {any} */ error) {
    if (!(error instanceof SandboxError)) return { untyped: String(error?.stack ?? error) };
    const { name, construct, subject, thrownMessage } = error.details;
    return { code: error.code, message: error.message, name, construct, subject, thrownMessage };
  }
}

process.on('message', (message) => void answer(message));

/** Each is told of at once: one that takes this process down is the one after those. @param {any} tests */
async function answer(tests) {
  for (const test of tests) process.send?.(await run(test));
}
