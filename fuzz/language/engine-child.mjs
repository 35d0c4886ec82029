// Runs programs as the sidecar does, without the process and the pipe around each: some thousands in a second. A child
// process, because a program may take the engine's process down.
import { runInProcess, runParams } from '../../bench/peers/engine.mjs';
import { decodeValue, SandboxError } from '@mustard-sandbox/protocol';
import { RawJson } from '@mustard-sandbox/protocol/sidecar';
import { canonical } from './canonical.mjs';

// Turns bound every loop; the clock would depend on the machine.
const params = runParams({ script: '', limits: { timeoutMs: 60_000, instructions: 20_000_000 } });

/** @returns {Promise<import('./judge.d.mts').SandboxOutcome>} */
async function run(script) {
  try {
    const { value, warnings } = await runInProcess({ ...params, script });
    const received = 'json' in value && value.json instanceof RawJson ? value.json.parse() : decodeValue(value);
    return { value: canonical(received), ...(warnings && { warnings: warnings.map(({ id }) => id) }) };
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
