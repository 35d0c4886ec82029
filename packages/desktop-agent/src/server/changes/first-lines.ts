import type { FileDiff } from '../../shared/contract/index.ts';

type Hunk = FileDiff['hunks'][number];
type Line = Hunk['lines'][number];

/** The most lines of each side. Nobody reads more, and they are stored with the message. */
const maxLines = 250;
const maxChars = 32 * 1024;
const contextLines = 3;

/**
 * The beginning of what differs between two texts that are too large to compare: all lines between their equal beginnings
 * and ends, the old ones before the new ones.
 *
 * @returns `unshown` is how many of these lines are left out or shown only in part
 */
export function firstLines(old: readonly string[], now: readonly string[]): { hunk: Hunk; unshown: number } {
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let same = 0;
  while (same < shorter - start && old.at(-1 - same) === now.at(-1 - same)) same += 1;
  const removed = beginOf(old.slice(start, old.length - same), 'removed');
  const added = beginOf(now.slice(start, now.length - same), 'added');
  const context = beginOf(now.slice(Math.max(0, start - contextLines), start), 'context');
  const first = start - context.lines.length + 1;
  return {
    hunk: { oldStart: first, newStart: first, lines: [...context.lines, ...removed.lines, ...added.lines] },
    unshown: removed.unshown + added.unshown,
  };
}

function beginOf(texts: readonly string[], kind: Line['kind']): { lines: Line[]; unshown: number } {
  const lines: Line[] = [];
  let room = maxChars;
  let whole = 0;
  for (const text of texts.slice(0, maxLines)) {
    if (room <= 0) break;
    lines.push({ kind, text: text.length <= room ? text : `${text.slice(0, room)}…` });
    if (text.length <= room) whole += 1;
    room -= text.length + 1;
  }
  return { lines, unshown: texts.length - whole };
}
