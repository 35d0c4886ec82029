import { groupsOf } from './patterns.ts';
import { needsV8 } from './rules/regex.ts';

/** One match, as JSON can say it. Positions count code points, like the engine's texts. */
interface Found {
  groups: (string | null)[];
  names: [string, string | null][] | null;
  index: number;
  lastIndex: number;
}

type RegexOperation = (pattern: RegExp, text: string, argument: never) => unknown;

const operations: Record<string, RegexOperation> = {
  /** How many groups it has, and the number of each that has a name. */
  check: ({ source, flags }) => groupsOf(source, flags),
  test: (pattern, text) => pattern.test(text),
  exec(pattern, text, lastIndex: number) {
    pattern.lastIndex = unitsBefore(text, lastIndex);
    const match = pattern.exec(text);
    return match === null ? null : foundFrom(match, pointCounter(text), pattern.lastIndex);
  },
  match: (pattern, text) => text.match(pattern),
  /** The text before the first match, the match, its groups, the text behind it, and so on. */
  cut: (pattern, text) => {
    const parts: (string | null)[] = [];
    let at = 0;
    let groupCount = 0;
    let names: string[] = [];
    for (const match of text.matchAll(pattern)) {
      const [whole, ...groups] = match as (string | undefined)[];
      groupCount = groups.length;
      names = Object.keys(match.groups ?? {});
      parts.push(text.slice(at, match.index), whole as string, ...groups.map((group) => group ?? null));
      at = match.index + (whole as string).length;
    }
    return { isSure: true, names, groupCount, parts: [...parts, text.slice(at)] };
  },
  /** The texts before, between and after the matches. */
  between: (pattern, text) => {
    const pieces: string[] = [];
    let at = 0;
    for (const match of text.matchAll(pattern)) {
      pieces.push(text.slice(at, match.index));
      at = match.index + match[0].length;
    }
    return [...pieces, text.slice(at)];
  },
  split: (pattern, text, limit: number | null) =>
    text.split(pattern, limit ?? undefined).map((part: string | undefined) => part ?? null),
  replace: (pattern, text, replacement: string) => text.replace(pattern, replacement),
};

/** Compiled once: a script asks with the same pattern for every line. */
const compiled = new Map<string, RegExp>();

export function operateRegex(kind: string, source: string, flags: string, text: string, argument: never): unknown {
  if (kind === 'isForeign') return isForeign(source, flags);
  const operation = Object.hasOwn(operations, kind) ? operations[kind] : undefined;
  if (operation === undefined) throw new TypeError(`There is no operation ${kind}.`);
  const pattern = patternFor(source, flags);
  pattern.lastIndex = 0;
  return operation(pattern, text, argument);
}

/** @throws {SyntaxError} where V8 has no such pattern */
function isForeign(source: string, flags: string): boolean {
  patternFor(source, flags);
  return needsV8(source, flags);
}

export function patternFor(source: string, flags: string): RegExp {
  const key = `${flags}/${source}`;
  let pattern = compiled.get(key);
  if (pattern === undefined) {
    pattern = new RegExp(source, flags);
    if (compiled.size > 256) compiled.clear();
    compiled.set(key, pattern);
  }
  return pattern;
}

function foundFrom(match: RegExpExecArray, points: (units: number) => number, lastIndex: number): Found {
  return {
    groups: Array.from(match, (group: string | undefined) => group ?? null),
    names:
      match.groups === undefined
        ? null
        : Object.entries(match.groups).map(([name, group]: [string, string | undefined]) => [name, group ?? null]),
    index: points(match.index),
    lastIndex: points(lastIndex),
  };
}

const beyond = /[\u{10000}-\u{10FFFF}]/u;

export function hasAstral(text: string): boolean {
  return beyond.test(text);
}

/**
 * How many code points there are before a position in units. Each call goes on from the last one: counting from the
 * start for each of 3,500 matches took most of a second.
 */
export function pointCounter(text: string): (units: number) => number {
  if (!beyond.test(text)) return (units) => units;
  let last = { units: 0, points: 0 };
  return (units) => {
    if (units < last.units) last = { units: 0, points: 0 };
    last = { units, points: last.points + [...text.slice(last.units, units)].length };
    return last.points;
  };
}

export function unitsBefore(text: string, points: number): number {
  return beyond.test(text) ? [...text].slice(0, points).join('').length : points;
}
