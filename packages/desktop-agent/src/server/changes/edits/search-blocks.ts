import { diffArrays } from 'diff';
import { EditRefused, type EditHunk, type EditLine } from './edit-hunk.ts';

/** Blocks that differ in more lines are replaced as a whole, because comparing them grows with the square of this number. */
const maxEdits = 500;

const opening = /^(<{7,}) ?SEARCH\s*$/;

/** Whether a text has search-and-replace blocks. */
export function hasBlocks(text: string): boolean {
  return text.split('\n').some((line) => opening.test(line));
}

/**
 * Reads blocks of `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`. A text that has such lines itself needs longer marks. All
 * marks of one block have the same length. Text between blocks is dropped.
 *
 * @throws {EditRefused} for a block that is incomplete or has two dividers
 */
export function parseBlocks(text: string): EditHunk[] {
  const lines = text.split('\n');
  const hunks: EditHunk[] = [];
  for (let at = 0; at < lines.length; at++) {
    const mark = opening.exec(lines[at] as string)?.[1];
    if (mark === undefined) continue;
    const name = `Block ${hunks.length + 1}`;
    const end = endOf(lines, at + 1, mark.length, name);
    const divider = dividerOf(lines.slice(at + 1, end), mark.length, name);
    const search = lines.slice(at + 1, at + 1 + divider);
    hunks.push(blockOf(name, search, lines.slice(at + 2 + divider, end)));
    at = end;
  }
  return hunks;
}

function endOf(lines: readonly string[], from: number, length: number, name: string): number {
  const [end, next] = ['>'.repeat(length), '<'.repeat(length)];
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] as string;
    if (isMark(line, end, ' ?REPLACE')) return at;
    if (isMark(line, next, ' ?SEARCH')) break;
  }
  throw new EditRefused(`${name} does not end: the line ${end} REPLACE is missing.`);
}

function dividerOf(lines: readonly string[], length: number, name: string): number {
  const mark = '='.repeat(length);
  const dividers = lines.flatMap((line, index) => (isMark(line, mark, '') ? [index] : []));
  if (dividers.length === 1) return dividers[0] as number;
  const what = dividers.length === 0 ? `has no line ${mark}` : `has the line ${mark} ${dividers.length} times`;
  throw new EditRefused(
    `${name} ${what} between search and replacement. If the text has such a line, make all three marks one character longer.`,
  );
}

function isMark(line: string, mark: string, rest: string): boolean {
  return line.startsWith(mark) && new RegExp(`^${rest}\\s*$`).test(line.slice(mark.length));
}

/** A block from the lines to look for and their replacement. Lines that both have stay as they are in the file. */
function blockOf(name: string, search: readonly string[], replacement: readonly string[]): EditHunk {
  const line = (kind: EditLine['kind']) => (text: string) => ({ kind, text });
  const changes = diffArrays([...search], [...replacement], { maxEditLength: maxEdits });
  if (changes === undefined)
    return { name, lines: [...search.map(line('removed')), ...replacement.map(line('added'))] };
  return {
    name,
    lines: changes.flatMap(({ added, removed, value }) =>
      value.map(line(added ? 'added' : removed ? 'removed' : 'context')),
    ),
  };
}

/** A block from the two texts of a tool's call. A line break at the end of a text ends its last line. */
export function blockOfTexts(name: string, search: string, replacement: string): EditHunk {
  return blockOf(name, linesOf(search), linesOf(replacement));
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
