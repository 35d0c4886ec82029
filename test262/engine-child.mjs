// Runs tests in the sandbox's engine, with the front end before it, as the sidecar does. A child process: a test may take
// it down.
import { loweringEngine, runInProcess, runParams } from '../bench/peers/engine.mjs';
import { SandboxError } from '../packages/sandbox-daemon/dist/protocol/index.js';

const params = runParams({ script: '', limits: { timeoutMs: 5_000, instructions: 20_000_000, scriptBytes: 131_072 } });

/** What the front end is at fault for would run unlowered, and may pass by chance. @type {string[]} */
const faults = [];
const engine = loweringEngine((message) => faults.push(message));

/** @param {string} script @returns {Promise<import('./judge.mjs').Outcome>} */
async function run(script) {
  const outcome = await outcomeOf(script);
  return faults.length > 0 ? { untyped: faults.splice(0).join('; ') } : outcome;
}

/** @returns {Promise<import('./judge.mjs').Outcome>} */
async function outcomeOf(script) {
  try {
    await runInProcess({ ...params, script }, { engine });
    return { ended: true };
  } catch (/** @type {any} */ error) {
    if (!(error instanceof SandboxError)) return { untyped: String(error?.stack ?? error) };
    const { name, construct, subject, problem, thrownMessage } = error.details;
    return { code: error.code, message: error.message, name, construct, subject, problem, thrownMessage };
  }
}

process.on('message', (message) => void answer(message));

/** Each is told of at once: one that takes this process down is the one after those. @param {any} tests */
async function answer(tests) {
  for (const test of tests) process.send?.(await run(test));
}
