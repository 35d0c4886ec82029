import type { FileDiff } from '../../shared/contract/index.ts';

type Hunk = FileDiff['hunks'][number];
type Kind = Hunk['lines'][number]['kind'];

/**
 * A proposed text without some hunks of its diff. In their places it has the old lines, which are taken from the hunks,
 * because the file on the disk may have changed.
 *
 * @param text the text with all hunks
 * @param dropped the hunks to leave out, from first to last
 * @returns `undefined` when the hunks are not those of the text
 */
export function withoutHunks(text: string, dropped: readonly Hunk[]): string | undefined {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  for (const { newStart, lines: of } of dropped.toReversed()) {
    const after = side(of, 'added');
    const start = newStart - 1;
    if (lines.slice(start, start + after.length).join('') !== after.join('')) return undefined;
    lines.splice(start, after.length, ...side(of, 'removed'));
  }
  return lines.join('');
}

/** The lines of one side of a hunk, with their ends. */
function side(lines: Hunk['lines'], own: Kind): string[] {
  return lines.flatMap(({ kind, text }, index) => {
    if (kind !== 'context' && kind !== own) return [];
    return [lines[index + 1]?.kind === 'note' ? text : `${text}\n`];
  });
}

/** A diff with only some of its hunks. Line numbers after dropped hunks are adjusted. */
export function withHunks(file: FileDiff, kept: ReadonlySet<number>): FileDiff {
  const count = (lines: Hunk['lines'], wanted: Kind): number => lines.filter(({ kind }) => kind === wanted).length;
  let moved = 0;
  const hunks = file.hunks.flatMap((hunk, index) => {
    const { lines, newStart } = hunk;
    if (kept.has(index)) return [{ ...hunk, newStart: newStart - moved }];
    moved += count(lines, 'added') - count(lines, 'removed');
    return [];
  });
  const all = hunks.flatMap(({ lines }) => lines);
  return { ...file, hunks, added: count(all, 'added'), removed: count(all, 'removed') };
}
