import { explanationOf, withoutConstructs } from './documented.mjs';

/** How the sandbox may say that it does not do something. */
const refusals = new Set(['unsupported_syntax', 'parse_error', 'script_error', 'limit_exceeded', 'timeout']);
/** A program that takes its process down. The client says so by these codes. */
const losses = new Set(['sidecar_crashed', 'quarantined']);

/**
 * What is to be said of a program's outcome in the sandbox, where V8 says what is wanted.
 *
 * @param {import('./judge.d.mts').WantedOutcome} wanted
 * @param {import('./judge.d.mts').SandboxOutcome} got
 * @returns {import('./judge.d.mts').Verdict}
 */
export function judge(wanted, got) {
  if ('died' in wanted) return { verdict: 'skipped', why: wanted.died };
  if ('untyped' in got) return { verdict: 'wrong', why: `an error without a code: ${got.untyped.split('\n')[0]}` };
  // The engine without a client around it: whoever asks has to ask a real sidecar.
  if ('died' in got) return { verdict: 'wrong', why: `its process died: ${got.died}` };
  if ('code' in got) return judgeFailure(wanted, got);
  if (!('value' in wanted)) return { verdict: 'wrong', why: 'a value instead of an error' };
  if (wanted.value === got.value) return { verdict: 'same' };
  const id = explanationOf(wanted.value, got.value);
  return id === undefined ? { verdict: 'wrong', why: 'another value' } : { verdict: 'documented', why: id };
}

/**
 * @param {import('./judge.d.mts').WantedOutcome} wanted
 * @param {{ code: string, message: string, construct?: string }} got
 * @returns {import('./judge.d.mts').Verdict}
 */
function judgeFailure(wanted, { code, construct, message }) {
  if (losses.has(code)) return { verdict: 'refused', why: code };
  if (!refusals.has(code)) return { verdict: 'wrong', why: `${code}: ${message}` };
  return 'value' in wanted ? { verdict: 'refused', why: construct ?? code } : { verdict: 'same' };
}

/**
 * The same, and where that is wrong, whether a documented construct is the cause: without it V8 and the sandbox agree.
 *
 * @param {string} source
 * @param {import('./judge.d.mts').WantedOutcome} wanted
 * @param {import('./judge.d.mts').SandboxOutcome} got
 * @param {(source: string) => Promise<[import('./judge.d.mts').WantedOutcome, import('./judge.d.mts').SandboxOutcome]>} runBoth
 * @returns {Promise<import('./judge.d.mts').Verdict>}
 */
export async function judgeByCause(source, wanted, got, runBoth) {
  const verdict = judge(wanted, got);
  if (verdict.verdict !== 'wrong' || !('value' in got)) return verdict;
  for (const { id, source: simpler } of withoutConstructs(source)) {
    const without = judge(...(await runBoth(simpler)));
    // There may be two of them in one program.
    if (without.verdict === 'same' || without.verdict === 'documented') return { verdict: 'documented', why: id };
  }
  return verdict;
}
