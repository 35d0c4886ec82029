import { shorten } from '@mustard-sandbox/protocol';
import type { Construct, Diagnostic } from '@mustard-sandbox/client';
import { advices, type Advice } from './advice.ts';
import { builtinErrorAnswer, misused } from './builtin-answers.ts';
import type { Answer, Failure } from './failure.ts';
import { adviceOnName } from './names.ts';

const maxMessage = 300;

function adviceOn(construct: Construct | undefined, subject: string | undefined, failure: Failure): Advice | undefined {
  if (construct === 'forbidden_global' || construct === 'undefined_name')
    return adviceOnName(subject ?? 'this', failure);
  return construct === undefined ? undefined : advices[construct];
}

export function unsupportedAnswer(failure: Failure): Answer {
  if (isFenced(failure)) return fencedAnswer;
  const { construct, subject, problem, diagnostics } = failure.error.details;
  const others = otherProblems(diagnostics as Diagnostic[] | undefined, failure);
  const { advice, example } = adviceOn(construct, subject, failure) ?? {
    advice: 'Write it in another way, with functions and plain objects.',
    example: `const double = (n) => n * 2;\n[1, 2].map(double)`,
  };
  return { what: `Not in the script language: ${shown(problem)}.`, advice: advice + others, example };
}

/** The other problems that the compiler found, so that the model can fix all of them in one try. */
function otherProblems(diagnostics: Diagnostic[] | undefined, failure: Failure): string {
  const others = (diagnostics ?? []).slice(1);
  const lines = others.slice(0, 3).map(({ message, location, construct, subject }) => {
    const { advice } = adviceOn(construct, subject, failure) ?? {};
    return `\n- line ${location?.line ?? '?'}: ${shown(message)}${advice === undefined ? '' : `. ${advice}`}`;
  });
  const more = others.length > lines.length ? `\n- and ${others.length - lines.length} more` : '';
  return lines.length === 0 ? '' : `\nAlso fix:${lines.join('')}${more}`;
}

export function parseErrorAnswer(failure: Failure): Answer {
  const { problem } = failure.error.details;
  const what = `The script is not valid JavaScript: ${shown(problem)}.`;
  if (isFenced(failure)) return fencedAnswer;
  if (/\bawait\b/.test(failure.code) && /\bawait\b/.test(problem ?? '')) {
    return {
      what,
      advice:
        'await works at the top level and in async functions. The functions of the sandbox need none: leave it out.',
      example: `const sizeOf = (path) => file_stats(path).size;\nsizeOf(list_files()[0])`,
    };
  }
  return {
    what,
    advice:
      'Look at the marked place for a missing or surplus bracket, quote, comma or operator, and send the whole script again.',
    example: `const rows = [{ n: 1 }, { n: 2 }];\nrows.map(({ n }) => n + 1)`,
  };
}

const fencedAnswer: Answer = {
  what: 'The script is inside Markdown fences.',
  advice: 'Send the code alone, without Markdown fences.',
  example: `const answer = 6 * 7;\nanswer`,
};

function isFenced({ context }: Failure): boolean {
  return /^\s*```/.test(context.script);
}

export function scriptErrorAnswer(failure: Failure): Answer {
  const { capability, construct, subject, name, thrownMessage } = failure.error.details;
  if (capability !== undefined) return builtinErrorAnswer(failure, shown(thrownMessage));
  const isOfResult = name === 'ResultError';
  const what =
    thrownMessage === undefined || isOfResult
      ? shown(failure.error.message)
      : `The script ended with ${name ?? 'Error'}: ${shown(thrownMessage)}`;
  const mistaken = misused(failure);
  if (mistaken !== undefined) return { what, advice: mistaken };
  const known = adviceOn(construct, subject, failure);
  if (known !== undefined) return { what, ...known, advice: known.advice + remarkOnAwait(failure) };
  if (isOfResult) return { what, ...plainResult };
  return { what, ...(mayBePromise(failure) ? unawaited : uncaught) };
}

const plainResult: Advice = {
  advice: 'Return plain data: strings, numbers, lists and objects, with await before what gives a promise.',
  example: `const double = async (n) => n * 2;
const total = () => 3;
[total(), ...(await Promise.all([1, 2].map(double)))]`,
};

const unawaited: Advice = {
  advice:
    'It may be a promise that was not awaited: with await in a script, functions of the application give promises.',
  example: `const load = async () => ['a', 'b'];\n(await load()).length`,
};

const uncaught: Advice = {
  advice: 'The script did not catch it. Fix the cause, or catch it where the script can continue without the result.',
  example: `const results = [];
for (const text of ['{"n": 1}', 'broken']) {
  try {
    results.push(JSON.parse(text).n);
  } catch (error) {
    results.push(error.name);
  }
}
results`,
};

/** A promise lacks the methods of lists and texts, and is not a text of JSON. */
function mayBePromise(failure: Failure): boolean {
  const { construct } = failure.error.details;
  const isOf = construct === 'not_callable' || construct === 'not_iterable' || construct === 'json_syntax';
  return isOf && failure.usesAwait;
}

function remarkOnAwait(failure: Failure): string {
  return mayBePromise(failure) ? ` ${unawaited.advice}` : '';
}

function shown(text: string | undefined): string {
  return shorten((text ?? 'no message').replace(/[^\P{Cc}\n]/gu, ' ').trim(), maxMessage);
}
