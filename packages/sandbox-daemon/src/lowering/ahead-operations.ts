import type { AskingRun } from '../engine/compile.ts';
import { hasAstral, patternFor } from './regex-operations.ts';

/** What a loop over lines will ask, of several lines at once. */
export interface Ahead {
  /** `json`, or what is done by a regular expression. */
  kind: string;
  source: string;
  flags: string;
  /** A replacement. */
  extra: string;
  /** Which of the lines that were given last. */
  at: number;
  count: number;
  /** The first of them. */
  text: string;
}

/** What crosses for a text that is left to the engine. None of the operations gives a bare 0. */
const left = 0;

const operations: Record<string, (text: string, pattern: RegExp, extra: string) => unknown> = {
  exec: (text, pattern) => foundIn(pattern.exec(text)),
  test: (text, pattern) => pattern.test(text),
  /** With the flag g: the texts of all matches. */
  match: (text, pattern) => text.match(pattern),
  replace: (text, pattern, replacement) => text.replace(pattern, replacement),
  split: (text, pattern) => text.split(pattern),
};

/** The answers for these lines, in their order; `left` alone where they are not those that the script has. */
export function operateAhead(run: AskingRun, { kind, source, flags, extra, at, count, text }: Ahead): unknown {
  const texts = linesOf(run).slice(at, at + count);
  if (texts[0] !== text) return left;
  if (kind === 'json') return texts.map(parsed);
  const operation = Object.hasOwn(operations, kind) ? operations[kind] : undefined;
  if (operation === undefined) throw new TypeError(`There is no operation ${kind}.`);
  const pattern = patternFor(source, flags);
  return texts.map((line) => {
    // The engine counts code points there, and never cuts one in two.
    if (hasAstral(line)) return left;
    pattern.lastIndex = 0;
    return operation(line, pattern, extra);
  });
}

const split = new WeakMap<Buffer, string[]>();

/** The lines as the engine has them: without their ends. */
function linesOf({ givenLines }: AskingRun): string[] {
  if (givenLines === undefined) return [];
  let texts = split.get(givenLines);
  if (texts === undefined) {
    texts = givenLines.toString('utf8').split('\n');
    const last = texts.pop() as string;
    texts = texts.map((text) => (text.endsWith('\r') ? text.slice(0, -1) : text));
    if (last !== '') texts.push(last);
    split.set(givenLines, texts);
  }
  return texts;
}

/** In a list of its own: the value may be 0. A text that is no JSON is left to the engine, whose error says so. */
function parsed(text: string): unknown {
  try {
    return [JSON.parse(text)];
  } catch {
    return left;
  }
}

/** A match, its place, and the groups that have names; short, for there are many. */
function foundIn(match: RegExpExecArray | null): unknown {
  if (match === null) return null;
  return match.groups === undefined ? [[...match], match.index] : [[...match], match.index, { ...match.groups }];
}
