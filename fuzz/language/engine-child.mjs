// Runs programs as the sidecar does, without the process and the pipe around each: some thousands in a second. A child
// process, because a program may take the engine's process down.
import { loweringEngine, runInProcess, runParams } from '../../bench/peers/engine.mjs';
import { decodeValue, SandboxError } from '../../packages/sandbox-daemon/dist/protocol/index.js';
import { canonical } from './canonical.mjs';

// Instructions bound every loop; the clock would depend on the machine.
const params = runParams({ script: '', limits: { timeoutMs: 60_000, instructions: 20_000_000 } });

/** What the front end is at fault for would run unlowered, and may be right by chance. @type {string[]} */
const faults = [];
const engine = loweringEngine((message) => faults.push(message));

/** @returns {Promise<import('./judge.d.mts').SandboxOutcome>} */
async function run(script) {
  try {
    const { value, warnings } = await runInProcess({ ...params, script }, { engine });
    if (faults.length > 0) return { untyped: faults.splice(0).join('; ') };
    return { value: canonical(decodeValue(value)), ...(warnings && { warnings: warnings.map(({ id }) => id) }) };
  } catch (/** @type {any} */ error) {
    if (!(error instanceof SandboxError)) return { untyped: String(error?.stack ?? error) };
    const { name, construct } = error.details;
    return { code: error.code, message: error.message, name, construct };
  }
}

process.on('message', (message) => void answer(message));

/** @param {any} message */
async function answer({ sources }) {
  const outcomes = [];
  for (const source of sources) outcomes.push(await run(source));
  process.send?.(outcomes);
}
