import { documented } from './documented.mjs';

/** How the sandbox may say that it does not do something. */
const refusals = new Set(['unsupported_syntax', 'parse_error', 'script_error', 'limit_exceeded', 'timeout']);

/**
 * What is to be said of a program's outcome in the sandbox, where V8 says what is wanted.
 *
 * @param {string} source
 * @param {import('./judge.d.mts').WantedOutcome} wanted
 * @param {import('./judge.d.mts').SandboxOutcome} got
 * @returns {import('./judge.d.mts').Verdict}
 */
export function judge(source, wanted, got) {
  if ('died' in wanted) return { verdict: 'skipped', why: wanted.died };
  if ('untyped' in got) return { verdict: 'wrong', why: `an error without a code: ${got.untyped.split('\n')[0]}` };
  // A real sidecar that dies is a typed error too, and the client's tests are about that.
  if ('died' in got) return { verdict: 'refused', why: 'sidecar_crashed' };
  if ('code' in got) return judgeFailure(wanted, got);
  if ('value' in wanted && wanted.value === got.value) return { verdict: 'same' };
  const id = documented(source, wanted, got);
  if (id !== undefined) return { verdict: 'documented', why: id };
  return { verdict: 'wrong', why: 'value' in wanted ? 'another value' : 'a value instead of an error' };
}

/**
 * @param {import('./judge.d.mts').WantedOutcome} wanted
 * @param {{ code: string, message: string, construct?: string }} got
 * @returns {import('./judge.d.mts').Verdict}
 */
function judgeFailure(wanted, { code, construct, message }) {
  if (!refusals.has(code)) return { verdict: 'wrong', why: `${code}: ${message}` };
  return 'value' in wanted ? { verdict: 'refused', why: construct ?? code } : { verdict: 'same' };
}
