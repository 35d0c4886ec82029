import { shorten, type Construct, type Diagnostic } from '@mustard-sandbox/client';
import { builtinErrorAnswer, misused } from './builtin-answers.ts';
import type { Answer, Failure } from './failure.ts';
import { missingMember } from './members.ts';
import { missingName } from './names.ts';
import { rewrites, type Rewrite } from './rewrites.ts';
import { suspicionOf } from './suspects.ts';

const maxMessage = 300;

/** The answer to `unsupported_syntax`, and to a `script_error` whose construct the engine named. */
function rewriteFor(
  construct: Construct | undefined,
  subject: string | undefined,
  failure: Failure,
): Rewrite | undefined {
  if (construct === 'forbidden_global' || construct === 'undefined_name')
    return missingName(subject ?? 'this', failure);
  if (construct === 'missing_member') return missingMember(subject ?? '', failure);
  return construct === undefined ? undefined : rewrites[construct];
}

export function unsupportedAnswer(failure: Failure): Answer {
  // Fences of Markdown are parsed as a tagged template.
  if (isFenced(failure)) return fencedAnswer;
  const { construct, subject, problem, diagnostics } = failure.error.details;
  const rewrite = rewriteFor(construct, subject, failure);
  const others = otherProblems(diagnostics as Diagnostic[] | undefined, construct, failure);
  if (rewrite === undefined) {
    return {
      what: `Not in the script language: ${shown(problem)}.`,
      advice: `Write it with let, const, functions and loops.${others}`,
      example: `const double = (n) => n * 2;\n[1, 2].map(double)`,
    };
  }
  return { ...rewrite, advice: rewrite.advice + others };
}

/** The other problems that the compiler found, so that the model can fix all of them in one try. */
function otherProblems(diagnostics: Diagnostic[] | undefined, first: Construct | undefined, failure: Failure): string {
  const others = (diagnostics ?? [])
    .slice(1)
    .filter(({ construct }) => construct !== first || first === 'forbidden_global');
  const lines = others.slice(0, 3).map(({ message, location, construct, subject }) => {
    const rewrite = rewriteFor(construct, subject, failure);
    return `\n- line ${location?.line ?? '?'}: ${rewrite ? `${rewrite.what} ${rewrite.advice}` : message}`;
  });
  const more = others.length > lines.length ? `\n- and ${others.length - lines.length} more` : '';
  return lines.length === 0 ? '' : `\nAlso fix:${lines.join('')}${more}`;
}

const typeScript =
  /^\s*(?:interface|enum|type|declare|namespace)\s+\w|\b(?:as|satisfies)\s+\w|[\w)\]]\??\s*:\s*(?:string|number|boolean|any|unknown|void|[A-Z]\w*)\b|\w<\w+(?:\[\])?>\(/;

export function parseErrorAnswer(failure: Failure): Answer {
  const { location, problem } = failure.error.details;
  const line = failure.context.script.split('\n')[(location?.line ?? 1) - 1] ?? '';
  const what = `The script is not valid JavaScript: ${shown(problem)}.`;
  if (isFenced(failure)) return fencedAnswer;
  if (typeScript.test(line)) {
    return {
      what: `${what} It looks like TypeScript.`,
      advice: 'Leave out types, interfaces, enums, as and !.',
      example: `const double = (n) => n * 2;\ndouble(21)`,
    };
  }
  if (/\bawait\b/.test(line) && /\bawait\b/.test(problem ?? '')) {
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
  const rewrite = rewriteFor(construct, subject, failure);
  const thrown = `${name ?? 'Error'}: ${shown(thrownMessage)}`;
  if (rewrite === undefined) {
    return {
      what: thrownMessage === undefined ? shown(failure.error.message) : `The script ended with ${thrown}`,
      advice:
        'The script did not catch it. Fix the cause, or catch it where the script can continue without the result.',
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
  }
  const suspicion = suspicionOf(failure);
  const edge = name === 'ResultError' ? ' This is about the value of the script.' : '';
  const said = construct === 'regex_syntax' || construct === 'json_syntax' ? ` (${thrown.replaceAll('\n', ' ')})` : '';
  const promise = mayBePromise(construct, failure)
    ? ' With await in the script the functions of the sandbox may return promises: await each call, or use no await at all.'
    : '';
  const mistaken = misused(failure);
  if (mistaken !== undefined) return { what: rewrite.what, advice: mistaken };
  return { ...rewrite, what: `${rewrite.what}${said}${edge}${suspicion}`, advice: rewrite.advice + promise };
}

function mayBePromise(construct: Construct | undefined, failure: Failure): boolean {
  return (construct === 'not_iterable' || construct === 'json_syntax') && failure.usesAwait;
}

function shown(text: string | undefined): string {
  return shorten((text ?? 'no message').replace(/[^\P{Cc}\n]/gu, ' ').trim(), maxMessage);
}
