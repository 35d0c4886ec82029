import { EditRefused, linesBefore, type EditHunk } from './edit-hunk.ts';
import { nearestWords } from './nearest.ts';

/** The ways to compare lines, from exact to loose. */
const levels = [
  { key: (line: string): string => line },
  { key: (line: string): string => line.trimEnd(), isLoose: true },
  { key: (line: string): string => line.trim().replaceAll(/\s+/g, ' '), isLoose: true },
] as const;

/** The most places that an error names. */
const maxNamed = 5;

export interface Placed {
  hunk: EditHunk;
  /** Lines of the file, from `start` to before `end`. */
  start: number;
  end: number;
  /** How the place differs from what was asked for, for a person. */
  inexact?: string;
  /** Whether white space differs, so that added lines may need the indentation of the file. */
  isLoose: boolean;
}

/**
 * Finds the one place of each hunk among the lines of a file. All hunks are looked for in the unchanged file, so their order
 * does not matter.
 *
 * @throws {EditRefused} when a hunk has no place or several, or when two overlap
 */
export function placeHunks(lines: readonly string[], hunks: readonly EditHunk[]): Placed[] {
  const keyed = levels.map(() => undefined as string[] | undefined);
  const keysAt = (level: number): string[] => (keyed[level] ??= lines.map((levels[level] as (typeof levels)[0]).key));
  const placed = hunks.map((hunk) => placeOf(hunk, lines, keysAt)).sort((a, b) => a.start - b.start);
  for (const [index, { hunk, start }] of placed.entries()) {
    const before = placed[index - 1];
    if (before !== undefined && start < before.end) {
      throw new EditRefused(
        `${before.hunk.name} and ${hunk.name} change the same lines (${start + 1} to ${before.end}). Send them as one.`,
      );
    }
  }
  return placed;
}

function placeOf(hunk: EditHunk, lines: readonly string[], keysAt: (level: number) => string[]): Placed {
  const before = linesBefore(hunk).map(({ text }) => text);
  if (before.length === 0) return placeOfNew(hunk, lines);
  for (const [level, { key, ...rest }] of levels.entries()) {
    const isLoose = 'isLoose' in rest;
    const wanted = before.map(key);
    // Blank lines would fit in too many places.
    if (isLoose && wanted.every((line) => line === '')) break;
    const starts = occurrences(keysAt(level), wanted);
    if (starts.length === 0) continue;
    const start = theOne(hunk, starts);
    const inexact = inexactWords(hunk, start, isLoose);
    return { hunk, start, end: start + before.length, isLoose, ...(inexact !== undefined && { inexact }) };
  }
  throw new EditRefused(`${hunk.name}: ${nearestWords(keysAt(levels.length - 1), lines, before)}`);
}

/** The place of a hunk that only adds lines. Only an empty file has one. */
function placeOfNew(hunk: EditHunk, lines: readonly string[]): Placed {
  if (lines.length === 0) return { hunk, start: 0, end: 0, isLoose: false };
  throw new EditRefused(
    `${hunk.name} names no line of the file, so its place is unknown. Give some lines around it, or write the whole file.`,
  );
}

function theOne({ name, line }: EditHunk, starts: readonly number[]): number {
  const [first] = starts;
  if (starts.length === 1) return first as number;
  const said = line === undefined ? undefined : starts.find((start) => start === line - 1);
  if (said !== undefined) return said;
  const named = starts.slice(0, maxNamed).map((start) => start + 1);
  const more = starts.length > maxNamed ? ' and more' : '';
  throw new EditRefused(
    `${name} fits in ${starts.length} places, at the lines ${named.join(', ')}${more}. Give more lines around it, so that only one fits.`,
  );
}

function inexactWords({ name, line }: EditHunk, start: number, isLoose: boolean): string | undefined {
  const isMoved = line !== undefined && line - 1 !== start;
  const said = `${name} is for line ${line}, but its lines are at line ${start + 1}`;
  if (isMoved) return isLoose ? `${said}, with other white space` : said;
  return isLoose ? `${name} has other white space than the file at line ${start + 1}` : undefined;
}

/** Where lines occur among others, in linear time, because a file may have the same line a hundred thousand times. */
function occurrences(lines: readonly string[], wanted: readonly string[]): number[] {
  const fallback: number[] = [0];
  for (let at = 1, length = 0; at < wanted.length; at++) {
    while (length > 0 && wanted[at] !== wanted[length]) length = fallback[length - 1] as number;
    if (wanted[at] === wanted[length]) length++;
    fallback.push(length);
  }
  const starts: number[] = [];
  for (let at = 0, length = 0; at < lines.length; at++) {
    while (length > 0 && (length === wanted.length || lines[at] !== wanted[length])) {
      length = fallback[length - 1] as number;
    }
    if (lines[at] === wanted[length]) length++;
    if (length === wanted.length) starts.push(at - length + 1);
  }
  return starts;
}
