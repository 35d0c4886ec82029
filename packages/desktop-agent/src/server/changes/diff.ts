import { isUtf8 } from 'node:buffer';
import { whyItRuns } from '@mustard-sandbox/paths';
import { structuredPatch } from 'diff';
import type { FileDiff } from '../../shared/contract/index.ts';
import { firstLines } from './first-lines.ts';

/** Comparing larger files line by line would take long, so only the beginning of what differs is shown, as one piece. */
const maxDiffBytes = 400 * 1024;
/** Files that differ in more lines are not compared either, because the work grows with the square of this number. */
const maxEdits = 2000;
/** The time for all files that are shown together. */
const comparingMs = 1000;
const contextLines = 3;
const probedBytes = 8000;

/** The time for comparing all files of one proposal or version. Files after that are shown as if they were large. */
export class DiffTime {
  #leftMs = comparingMs;

  /** @param compare gives up after `timeoutMs`. @returns `undefined` when there is no time left */
  spend<T>(compare: (timeoutMs: number) => T): T | undefined {
    if (this.#leftMs <= 0) return undefined;
    const start = performance.now();
    try {
      return compare(this.#leftMs);
    } finally {
      this.#leftMs -= performance.now() - start;
    }
  }
}

export interface Sides {
  path: string;
  /** The old path of a file that was moved. */
  from?: string | undefined;
  /** `null` where there is no file. */
  before: Uint8Array | null;
  after: Uint8Array | null;
}

/** What changed in one file, as a page shows it, with the reason why a person has to allow a file that runs by itself. */
export function reviewedDiffOf(sides: Sides, time: DiffTime): FileDiff {
  const { path, from, before, after } = sides;
  const text = (bytes: Uint8Array | null): string | undefined => (bytes === null ? undefined : decoded(bytes));
  const runs = whyItRuns(path, text(after), text(before)) ?? (from === undefined ? undefined : whyItRuns(from));
  return { ...diffOf(sides, time), ...(runs !== undefined && { runs }) };
}

/** What changed in a file that is shown alone, with this reason. */
export function reviewedDiff(_appPath: string, sides: Sides): FileDiff {
  return reviewedDiffOf(sides, new DiffTime());
}

/** What changed in one file, as a page shows it. */
export function diffOf({ path, from, before, after }: Sides, time: DiffTime): FileDiff {
  const change = from !== undefined ? 'renamed' : before === null ? 'added' : after === null ? 'deleted' : 'changed';
  const base = { path, ...(from !== undefined && { from }), change } as const;
  const wasBinary = isBinary(before);
  // A text that replaces a binary file is shown like a new file.
  if (isBinary(after) || (wasBinary && after === null)) {
    return { ...base, added: 0, removed: 0, hunks: [], hidden: 'binary' };
  }
  const [old, now] = [wasBinary ? '' : decoded(before), decoded(after)];
  if (old === now) return { ...base, added: 0, removed: 0, hunks: [] };
  const isLarge = Math.max(old.length, now.length) > maxDiffBytes;
  const hunks = isLarge ? undefined : time.spend((timeoutMs) => hunksOf(old, now, timeoutMs));
  if (hunks === undefined) {
    const [oldLines, newLines] = [linesOf(old), linesOf(now)];
    const { hunk, unshown } = firstLines(oldLines, newLines);
    return { ...base, ...countLines(oldLines, newLines), hunks: [hunk], hidden: 'large', unshown };
  }
  const lines = hunks.flatMap(({ lines }) => lines);
  const count = (kind: string): number => lines.filter((line) => line.kind === kind).length;
  return { ...base, added: count('added'), removed: count('removed'), hunks };
}

export function isBinary(bytes: Uint8Array | null): boolean {
  return bytes !== null && (bytes.subarray(0, probedBytes).includes(0) || !isUtf8(bytes));
}

function decoded(bytes: Uint8Array | null): string {
  return bytes === null ? '' : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function hunksOf(old: string, now: string, timeout: number): FileDiff['hunks'] | undefined {
  const options = { context: contextLines, maxEditLength: maxEdits, timeout };
  const patch = structuredPatch('', '', old, now, '', '', options);
  return patch?.hunks.map(({ oldStart, newStart, lines }) => ({
    oldStart,
    newStart,
    lines: lines.map((line) => {
      if (line[0] === '\\') return { kind: 'note', text: line } as const;
      const kind = line[0] === '+' ? 'added' : line[0] === '-' ? 'removed' : 'context';
      return { kind, text: line.slice(1) } as const;
    }),
  }));
}

/** How many lines are added and removed, counted without regard to their order. */
function countLines(old: readonly string[], now: readonly string[]): { added: number; removed: number } {
  const lines = new Map<string, number>();
  for (const line of old) lines.set(line, (lines.get(line) ?? 0) - 1);
  for (const line of now) lines.set(line, (lines.get(line) ?? 0) + 1);
  let [added, removed] = [0, 0];
  for (const count of lines.values()) {
    if (count > 0) added += count;
    else removed -= count;
  }
  return { added, removed };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
