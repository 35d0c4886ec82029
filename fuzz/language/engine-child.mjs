// Runs programs as the sidecar does, without the process and the pipe around each: some thousands in a second. A child
// process, because a program may take the engine's process down.
import { loweringEngine, runInProcess, runParams } from '../../bench/peers/engine.mjs';
import { decodeValue, SandboxError } from '../../packages/sandbox-daemon/dist/protocol/index.js';
import { canonical } from './canonical.mjs';
import { runTogether } from './together.mjs';

// Instructions bound every loop; the clock would depend on the machine.
const params = runParams({ script: '', limits: { timeoutMs: 60_000, instructions: 20_000_000 } });

/** What the front end is at fault for would run unlowered, and may be right by chance. @type {string[]} */
const faults = [];
const engine = loweringEngine((message) => faults.push(message));

/** So many run by themselves even so: what is at the top of a script is not as in a function of one. */
const aloneEach = 32;

/** @returns {Promise<import('./judge.d.mts').SandboxOutcome>} */
async function run(script) {
  const outcome = await outcomeOf(script);
  return faults.length > 0 ? { untyped: faults.splice(0).join('; ') } : outcome;
}

/** @returns {Promise<import('./judge.d.mts').SandboxOutcome>} */
async function outcomeOf(script) {
  try {
    const { value, warnings } = await runInProcess({ ...params, script }, { engine });
    return { value: canonical(decodeValue(value)), ...(warnings && { warnings: warnings.map(({ id }) => id) }) };
  } catch (/** @type {any} */ error) {
    if (!(error instanceof SandboxError)) return { untyped: String(error?.stack ?? error) };
    const { name, construct } = error.details;
    return { code: error.code, message: error.message, name, construct };
  }
}

/** @param {string[]} sources */
async function runMany(sources) {
  const some = sources.filter((_, index) => index % aloneEach !== 0);
  const found = await runTogether(some);
  const outcomes = [];
  for (const [index, source] of sources.entries()) {
    const together = index % aloneEach === 0 ? undefined : found.shift();
    outcomes.push(together === undefined ? await run(source) : { ...together, together: true });
  }
  return outcomes;
}

process.on('message', (message) => void answer(message));

/** @param {any} message */
async function answer({ sources, shared }) {
  const outcomes = [];
  if (shared) outcomes.push(...(await runMany(sources)));
  else for (const source of sources) outcomes.push(await run(source));
  process.send?.(outcomes);
}
