import { isRight } from './judge.mjs';

const maxTries = 3;

/** Codes that say that the tool did not hold, whatever the script was. */
const byTool = new Set([
  'sidecar_unavailable',
  'engine_unavailable',
  'protocol_error',
  'closed',
  'queue_full',
  'invalid_request',
]);

/**
 * @typedef {{ id: string, set: string, tries: { right: boolean, cause?: string, byTool?: boolean, text?: string, ms: number, tokens: number }[] }} Outcome
 */

/**
 * Asks one question: up to three scripts, as long as they fail. A script that ends with a wrong value is the last one,
 * because whoever asked would believe it.
 *
 * @returns {Promise<Outcome>}
 */
export async function askOne(question, nextTry, tool) {
  const tries = [];
  for (let answer; tries.length < maxTries;) {
    const { script, tokens, ms: thought, problem } = await nextTry(answer);
    if (script === undefined) {
      if (tries.length === 0 || problem !== undefined)
        tries.push({ right: false, cause: problem ?? 'no script', ms: 0, tokens });
      break;
    }
    const startedAt = performance.now();
    const result = await tool.execute({ script });
    const one = { ...judge(result, question), ms: performance.now() - startedAt, thoughtMs: thought, tokens };
    tries.push(one);
    if (result.status !== 'failed') break;
    answer = result.text;
  }
  return { id: question.id, set: question.set, tries };
}

function judge(result, { answer }) {
  const { status, text } = result;
  if (status === 'failed') {
    const { code } = result.error;
    return { right: false, cause: code, byTool: byTool.has(code), text: text.slice(0, 600) };
  }
  if (status !== 'completed') return { right: false, cause: status, text: text.slice(0, 600) };
  if (isRight(result.value, answer)) return { right: true };
  return {
    right: false,
    cause: 'wrong value',
    text: `${JSON.stringify(result.value)?.slice(0, 300)} for ${JSON.stringify(answer).slice(0, 300)}`,
  };
}

/** The figures over all questions. */
export function summarize(outcomes) {
  const share = (count) => (outcomes.length === 0 ? 0 : Math.round((1000 * count) / outcomes.length) / 10);
  const tries = outcomes.flatMap((outcome) => outcome.tries);
  const wrong = tries.filter(({ right }) => !right);
  const causes = {};
  for (const { cause } of wrong) causes[cause] = (causes[cause] ?? 0) + 1;
  return {
    questions: outcomes.length,
    firstTry: outcomes.filter(({ tries: [first] }) => first?.right).length,
    firstTryPercent: share(outcomes.filter(({ tries: [first] }) => first?.right).length),
    withinThree: outcomes.filter((outcome) => outcome.tries.some(({ right }) => right)).length,
    withinThreePercent: share(outcomes.filter((outcome) => outcome.tries.some(({ right }) => right)).length),
    wrongValues: wrong.filter(({ cause }) => cause === 'wrong value').length,
    byTool: wrong.filter((one) => one.byTool === true).length,
    causes,
    tokens: tries.reduce((sum, one) => sum + one.tokens, 0),
    scriptMs: tries.reduce((sum, one) => sum + one.ms, 0),
    medianScriptMs: tries.map(({ ms }) => ms).sort((a, b) => a - b)[Math.floor(tries.length / 2)] ?? 0,
  };
}
