import { isSameCharacter, isStar, matches } from './glob.ts';

/** A pattern for paths, as `find_files` and `search` take it. */
export interface FindGlob {
  /** The folders that every matching path begins with. */
  readonly base: readonly string[];
  matches(segments: readonly string[]): boolean;
  /** Whether something below this folder may match. */
  mayEnter(segments: readonly string[]): boolean;
}

type Part = '**' | readonly (string | CharacterClass)[];
interface CharacterClass {
  isNegated: boolean;
  ranges: [from: number, to: number][];
}

/** No pattern that a person would write has more alternatives. */
const maxAlternatives = 1000;

/** Whether a path is a pattern. */
export function isGlob(path: string): boolean {
  return /[*?[{]/.test(path);
}

/**
 * Compiles a pattern: `*`, `?` and `[a-z]` within a name, `**` for any number of folders, `{a,b}` for either. A pattern
 * without `/` matches in all folders. Case counts, and `*` also matches a dot at the start of a name.
 *
 * @returns the glob, or what is wrong with the pattern
 */
export function compileFindGlob(glob: string): FindGlob | { problem: string } {
  const alternatives = expandBraces(glob);
  if (alternatives === undefined) return { problem: `the pattern has more than ${maxAlternatives} alternatives` };
  const patterns: Part[][] = [];
  for (const alternative of alternatives) {
    const names = alternative.split('/').filter((name) => name !== '' && name !== '.');
    if (names.includes('..')) return { problem: "the pattern has '..' in it; write it from the root down" };
    const anchored = alternative.includes('/') ? names : ['**', ...names];
    patterns.push(anchored.map((name) => (name === '**' ? name : compileName(name))));
  }
  return {
    base: baseOf(glob),
    matches: (segments) => {
      const path = segments.map((segment) => [...segment]);
      return patterns.some((pattern) => matchesParts(pattern, path));
    },
    mayEnter: (segments) => {
      const path = segments.map((segment) => [...segment]);
      return patterns.some((pattern) => mayGoOn(pattern, path));
    },
  };
}

/** The names before the first one that holds a wildcard. */
function baseOf(glob: string): string[] {
  if (!glob.includes('/')) return [];
  const names = glob.split('/').filter((name) => name !== '' && name !== '.');
  const first = names.findIndex(isGlob);
  // A brace may hold slashes.
  return names.slice(0, first === -1 ? -1 : first);
}

/** `a{b,c{d,e}}` → `ab`, `acd`, `ace`. A brace that is not closed, or that holds no comma, stands for itself. */
function expandBraces(glob: string): string[] | undefined {
  let done: string[] = [];
  let open = [glob];
  while (open.length > 0) {
    const expanded: string[] = [];
    for (const one of open) {
      const brace = findBrace(one);
      if (brace === undefined) done.push(one);
      else for (const part of brace.parts) expanded.push(brace.before + part + brace.after);
      if (done.length + expanded.length > maxAlternatives) return undefined;
    }
    open = expanded;
  }
  done = [...new Set(done)];
  return done;
}

function findBrace(glob: string): { before: string; parts: string[]; after: string } | undefined {
  for (let start = glob.indexOf('{'); start !== -1; start = glob.indexOf('{', start + 1)) {
    const parts: string[] = [];
    let depth = 0;
    let from = start + 1;
    for (let at = start + 1; at < glob.length; at++) {
      const letter = glob[at];
      if (letter === '{') depth++;
      else if (letter === '}' && depth-- === 0) {
        parts.push(glob.slice(from, at));
        if (parts.length === 1) break;
        return { before: glob.slice(0, start), parts, after: glob.slice(at + 1) };
      } else if (letter === ',' && depth === 0) {
        parts.push(glob.slice(from, at));
        from = at + 1;
      }
    }
  }
  return undefined;
}

function compileName(name: string): (string | CharacterClass)[] {
  const parts: (string | CharacterClass)[] = [];
  const letters = [...name];
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] as string;
    // The first character after the bracket may be a bracket itself.
    const first = letters[at + 1] === '!' || letters[at + 1] === '^' ? at + 2 : at + 1;
    const end = letter === '[' ? letters.indexOf(']', first + 1) : -1;
    if (end === -1) {
      parts.push(letter);
      continue;
    }
    parts.push({ isNegated: first > at + 1, ranges: rangesOf(letters.slice(first, end)) });
    at = end;
  }
  return parts;
}

function rangesOf(letters: string[]): [number, number][] {
  const ranges: [number, number][] = [];
  const code = (at: number): number => (letters[at] as string).codePointAt(0) as number;
  for (let at = 0; at < letters.length; at++) {
    if (letters[at + 1] === '-' && at + 2 < letters.length) {
      ranges.push([code(at), code(at + 2)]);
      at += 2;
    } else ranges.push([code(at), code(at)]);
  }
  return ranges;
}

type NamePart = string | CharacterClass;

function matchesName(pattern: readonly NamePart[], name: readonly string[]): boolean {
  return matches(pattern, name, (part) => typeof part === 'string' && isStar(part), matchesCharacter);
}

function matchesCharacter(part: NamePart, character: string): boolean {
  if (typeof part === 'string') return isSameCharacter(part, character);
  const code = character.codePointAt(0) as number;
  return part.ranges.some(([from, to]) => code >= from && code <= to) !== part.isNegated;
}

function matchesParts(pattern: readonly Part[], path: readonly (readonly string[])[]): boolean {
  return matches(
    pattern,
    path,
    (part) => part === '**',
    (part, name) => matchesName(part as readonly NamePart[], name),
  );
}

/** Whether a path in this folder could match the pattern. */
function mayGoOn(pattern: readonly Part[], folder: readonly (readonly string[])[]): boolean {
  for (const [at, name] of folder.entries()) {
    const part = pattern[at];
    if (part === '**') return true;
    if (part === undefined || !matchesName(part, name)) return false;
  }
  return pattern.length > folder.length;
}
