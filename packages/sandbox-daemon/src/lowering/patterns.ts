import type { Literal } from 'acorn';
import type { Facts } from './facts.ts';
import { needsV8 } from './rules/regex.ts';
import { unwrap, type AnyNode } from './syntax.ts';

/** A regular expression that the source shows. */
export interface Pattern {
  source: string;
  flags: string;
  groupCount: number;
  /** The number of each group that has a name. */
  names: ReadonlyMap<string, number>;
  /** V8 runs it: the engine lacks it. */
  isV8: boolean;
  /** It may match nothing at all, between two characters. */
  mayBeEmpty: boolean;
}

/** Of a literal, or of the constant that is one; `undefined` where the source does not show it. */
export function patternOf(node: AnyNode, { fixedRegexes }: Facts): Pattern | undefined {
  const inner = unwrap(node);
  const literal = inner.type === 'Identifier' ? fixedRegexes.get(inner.name) : inner;
  if (literal?.type !== 'Literal' || !('regex' in literal) || !literal.regex) return undefined;
  return read(literal.regex);
}

function read({ pattern: source, flags }: NonNullable<Literal['regex']>): Pattern | undefined {
  const [groupCount, names] = groupsOf(source, flags);
  const isV8 = needsV8(source, flags);
  return { source, flags, groupCount, names: new Map(names), isV8, mayBeEmpty: mayBeEmpty(source, flags) };
}

/** How many groups there are, and the number of each that has a name. */
export function groupsOf(source: string, flags: string): [number, [string, number][]] {
  const groups = new RegExp(`${source}|`, flags.replaceAll(/[gy]/g, '')).exec('') ?? [''];
  return [groups.length - 1, [...namesIn(source)]];
}

/** Whether it may match nothing at all. In an empty text there is no edge of a word, but between two characters there may be one. */
export function mayBeEmpty(source: string, flags: string): boolean {
  const loose = source.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/gs, (part) => (/^\\b$/i.test(part) ? '(?:)' : part));
  return new RegExp(loose, flags.replaceAll(/[gy]/g, '')).test('');
}

function namesIn(source: string): Map<string, number> {
  const names = new Map<string, number>();
  let number = 0;
  for (const [text, name] of source.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|\((?!\?)|\(\?<([^=!>][^>]*)>/gs)) {
    if (text.startsWith('(')) number++;
    if (name !== undefined) names.set(name, number);
  }
  return names;
}
