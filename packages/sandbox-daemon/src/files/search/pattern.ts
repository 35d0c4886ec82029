import { setFlagsAgain } from '../../v8-flags.ts';

/** What a search looks for. */
export interface Pattern {
  /** The exact text to find, without a line end; `undefined` for a regular expression. */
  readonly literal: string | undefined;
  /** The expression for one single line, with `g`. It defines what a match is. */
  readonly inLine: RegExp;
  /**
   * The expression for many lines at a time, with `g` and `m`. It is faster, and correct in the cases that `scan.ts`
   * names. `undefined` when it never is.
   */
  readonly inBlock: RegExp | undefined;
  /** Whether it has `^` or `$`, which match at more places in a block than in a line. */
  readonly hasAnchors: boolean;
  /** Whether every match of a line counts, and not only the first. */
  readonly isGlobal: boolean;
  readonly groupCount: number;
  readonly groupNames: readonly string[];
}

/**
 * @param given a text, or the source and flags of a RegExp
 * @returns what is wrong with it, or the pattern
 */
export function compilePattern(given: unknown, flags: string | undefined): Pattern | { problem: string } {
  if (typeof given === 'string') {
    if (flags !== undefined) return compileRegex(given, flags);
    if (given === '') return { problem: 'the pattern is empty' };
    if (/[\n\r]/.test(given)) return { problem: 'a pattern is looked for in each line, so it cannot have a line end' };
    return { ...(compileRegex(escape(given), '') as Pattern), literal: given };
  }
  if (!isRegex(given)) return { problem: 'the pattern must be a string or a RegExp' };
  return compileRegex(given.source, [...new Set(`${given.flags}${flags ?? ''}`)].join(''));
}

function isRegex(given: unknown): given is { source: string; flags: string } {
  if (typeof given !== 'object' || given === null) return false;
  const { source, flags } = given as Record<string, unknown>;
  return typeof source === 'string' && typeof flags === 'string';
}

function compileRegex(source: string, flags: string): Pattern | { problem: string } {
  if (flags.includes('y')) return { problem: 'the flag y has no meaning in a search' };
  const kept = flags.replace(/[gd]/g, '');
  setFlagsAgain();
  try {
    const inLine = new RegExp(source, `${kept}g`);
    // The added `|` lets it match the empty text, and that match lists all groups.
    const groups = new RegExp(`${source}|`, kept).exec('') as RegExpExecArray;
    return {
      literal: undefined,
      inLine,
      inBlock: looksAround(source) ? undefined : new RegExp(source, kept.includes('m') ? `${kept}g` : `${kept}gm`),
      hasAnchors: /[$^]/.test(source),
      isGlobal: flags.includes('g'),
      groupCount: groups.length - 1,
      groupNames: Object.keys(groups.groups ?? {}),
    };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/**
 * Whether the source can see past the ends of a line: by look-around, or by flags that begin within the pattern. Saying
 * yes too often only costs time.
 */
function looksAround(source: string): boolean {
  return /\(\?(?:[=!]|<[=!]|[-a-z])/.test(source);
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
