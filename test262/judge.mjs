// What is to be said of a test, by what came of it in V8 and in the sandbox.

/**
 * @typedef {{ ended: true } | Failure | { untyped: string } | { died: string }} Outcome
 * @typedef {{ code: string, message: string, name?: string, construct?: string, subject?: string, thrownMessage?: string }} Failure
 * @typedef {{ verdict: 'pass' | 'refused' | 'wrong' | 'invalid', why?: string, id?: string, isSilent?: boolean }} Verdict
 *   `isSilent`: it is wrong without an error of the language, so that a script would go on
 */

/** What a script that is not run, or not to its end, ends with. */
const refusals = new Set(['parse_error', 'unsupported_syntax', 'limit_exceeded', 'timeout', 'sidecar_crashed']);
const early = new Set(['parse', 'early']);

/** Whether the test ended as it has to. @param {Outcome} outcome @param {import('./tests.mjs').Test} test */
export function hasPassed(outcome, { negative }) {
  if (negative === undefined) return 'ended' in outcome;
  if (!('code' in outcome)) return false;
  if (outcome.code === 'parse_error') return early.has(negative.phase) && negative.type === 'SyntaxError';
  return outcome.code === 'script_error' && outcome.name === negative.type;
}

/**
 * @param {import('./tests.mjs').Test} test
 * @param {Outcome} got in the sandbox
 * @returns {Verdict}
 */
export function judge(test, got) {
  if (hasPassed(got, test)) return { verdict: 'pass' };
  if ('untyped' in got) return { verdict: 'wrong', why: `an error without a code: ${got.untyped.split('\n')[0]}` };
  if ('died' in got) return { verdict: 'refused', why: 'the process is lost' };
  if ('ended' in got) return { verdict: 'wrong', why: `no ${test.negative?.type}`, isSilent: true };
  if (refusals.has(got.code)) return { verdict: 'refused', why: kindOf(got) };
  if (got.code !== 'script_error') return { verdict: 'wrong', why: `${got.code}: ${got.message}` };
  if (isRefusal(got)) return { verdict: 'refused', why: got.thrownMessage ?? got.message };
  return { verdict: 'wrong', why: messageOf(got), ...(got.name === 'Test262Error' && { isSilent: true }) };
}

/** The sandbox's own words, which no engine has. @param {Failure} got */
function isRefusal({ construct, thrownMessage = '' }) {
  return construct === 'unsettled_promise' || thrownMessage.includes(' is not available here: ');
}

/** @param {Failure} got */
function messageOf({ name, thrownMessage, message }) {
  return name === undefined ? message : `${name}: ${thrownMessage ?? message}`;
}

/** What was refused, so that refusals can be counted: without the names that the test chose. @param {Failure} got */
function kindOf({ code, construct, message }) {
  if (code === 'parse_error') return message.split('\n')[0].replaceAll(/ ?\(?line \d+.*$/g, '');
  return construct ?? code;
}
