import type { Program } from 'acorn';
import { factsOf } from './facts.ts';
import { prefix, preludeOf } from './helper.ts';
import type { Positions } from './output.ts';
import { parseScript } from './parse.ts';
import { Refusal, Rewriter, type Warning } from './rewriter.ts';
import { eraseTypes } from './types.ts';
import { globals, helpers, rules } from './rules/index.ts';
import { mayWait, sequentialFunctions, withoutAsync } from './sequential.ts';
import { messageOf } from '../protocol/errors.ts';

export { operate } from './operations.ts';
export type { Warning };

/** A script as the engine is to run it. */
export interface Lowered {
  code: string;
  /** Absent where the code is the script itself. */
  positions?: Positions;
  warnings: Warning[];
}

/** Why a script has no lowered form. */
export type Failure =
  /** It is no JavaScript, `at` this offset. */
  | { kind: 'syntax'; message: string; at: number }
  /** It uses what cannot be run; `start` and `end` are its offsets. */
  | { kind: 'refused'; message: string; start: number; end: number }
  /** The front end is at fault; the rule that was at work, where one was. */
  | { kind: 'fault'; message: string; rule?: string };

/**
 * Rewrites what the engine lacks or gets wrong into what it does right. Never throws.
 *
 * @param capabilities names that the script may call
 */
export function lower(source: string, capabilities: readonly string[]): Lowered | { failure: Failure } {
  // It would be a template with a template as its tag.
  if (/^\s*```/.test(source)) {
    const start = source.indexOf('`');
    return { failure: { kind: 'refused', message: 'the script begins with a Markdown fence', start, end: start + 3 } };
  }
  let script: { program: Program; text: string };
  try {
    script = read(source);
  } catch (error) {
    return { failure: error instanceof Refusal ? refusal(error) : syntaxFailure(error) };
  }
  const { program } = script;
  let rewriter: Rewriter | undefined;
  try {
    const names = new Set(capabilities);
    const functions = mayWait.test(source) ? sequentialFunctions(program, names) : undefined;
    const text = functions === undefined ? script.text : withoutAsync(script.text, functions);
    const facts = factsOf(program, names, functions !== undefined);
    // A line that begins with `#!` may only be the first one, and it will not be.
    rewriter = new Rewriter(text.replace(/^#!/, '//'), facts, rules);
    if (source.includes(prefix)) throw new Refusal(`names that begin with ${prefix} are reserved`, program);
    for (const replacement of globals) if (replacement.isNeeded(facts)) rewriter.helpers.add(replacement.name);
    rewriter.emit(program);
    const warnings = [...rewriter.warnings.values()];
    if (!rewriter.isChanged && rewriter.helpers.size === 0 && text === source) return { code: source, warnings };
    return { ...rewriter.output.finish(source, preludeOf(helpers, rewriter.helpers, facts)), warnings };
  } catch (error) {
    if (error instanceof Refusal) return { failure: refusal(error) };
    const rule = rewriter?.rule;
    return { failure: { kind: 'fault', message: messageOf(error), ...(rule !== undefined && { rule }) } };
  }
}

/** Types only where the script is no JavaScript: `f<T>(x)` is two comparisons there. */
function read(source: string): { program: Program; text: string } {
  try {
    return { program: parseScript(source), text: source };
  } catch (error) {
    let text: string;
    try {
      text = eraseTypes(source);
    } catch (typeError) {
      throw typeError instanceof Refusal ? typeError : error;
    }
    return { program: parseScript(text), text };
  }
}

function refusal({ message, node: { start, end } }: Refusal): Failure {
  return { kind: 'refused', message, start, end };
}

function syntaxFailure(error: unknown): Failure {
  if (!(error instanceof SyntaxError)) return { kind: 'fault', message: messageOf(error), rule: 'parse' };
  // acorn puts the position behind the message.
  const { pos } = error as SyntaxError & { pos?: number };
  return { kind: 'syntax', message: error.message.replace(/ \(\d+:\d+\)$/, ''), at: pos ?? 0 };
}
