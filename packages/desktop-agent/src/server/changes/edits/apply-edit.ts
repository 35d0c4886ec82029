import { EditRefused, type EditHunk } from './edit-hunk.ts';
import { indentedAs } from './indentation.ts';
import { placeHunks, type Placed } from './place-hunks.ts';

const maxHunks = 1000;
const maxEditChars = 1024 * 1024;
/** Each hunk is looked for in all lines, at most three times. */
const maxWork = 20_000_000;
const byteOrderMark = '\uFEFF';

interface Line {
  text: string;
  /** `''`: it ends the file without a line break. `undefined`: for the file to say. */
  end: '\n' | '' | undefined;
}

interface FileLines {
  lines: readonly Line[];
  /** What each line ends with before its `\n`. */
  returns: string;
}

interface Edited {
  text: string;
  /** For a person: what was not placed exactly as it was said. */
  inexact: string[];
}

/**
 * Makes an edit of a text. Where the edit has no `\r` of its own, the ends of lines are those of the file; a byte order mark
 * stays, and so does a missing line break at the end where the edit does not say otherwise.
 *
 * @throws {EditRefused} where it cannot be seen exactly what is meant; the text is then as before
 */
export function applyEdit(text: string, hunks: readonly EditHunk[]): Edited {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : '';
  const lines = linesOf(text.slice(mark.length));
  checkSize(hunks, lines.length);
  const wanted = mark === '' ? hunks : hunks.map(withoutMark);
  const hasReturns = wanted.some(({ lines: of }) => of.some((line) => line.text.includes('\r')));
  const compared = lines.map((line) => (hasReturns ? line.text : line.text.replace(/\r$/, '')));
  const placed = placeHunks(compared, wanted);
  const file: FileLines = { lines, returns: isWindows(lines) ? '\r' : '' };
  const output: Line[] = [];
  let at = 0;
  for (const one of placed) {
    for (const line of lines.slice(at, one.start)) output.push(line);
    for (const line of linesAfter(one, file, hasReturns)) output.push(line);
    at = one.end;
  }
  for (const line of lines.slice(at)) output.push(line);
  return { text: mark + joined(output, file), inexact: placed.flatMap(({ inexact }) => inexact ?? []) };
}

function checkSize(hunks: readonly EditHunk[], lineCount: number): void {
  const chars = hunks.reduce((sum, { lines }) => sum + lines.reduce((of, { text }) => of + text.length + 1, 0), 0);
  if (hunks.length === 0) throw new EditRefused('It has no block and no hunk, so it changes nothing.');
  if (hunks.length > maxHunks) throw new EditRefused(`It has ${hunks.length} blocks; at most ${maxHunks} at a time.`);
  if (chars > maxEditChars) throw new EditRefused('It has over 1 MB of text. Write the whole file instead.');
  if (hunks.length * lineCount > maxWork) {
    throw new EditRefused(`It has ${hunks.length} blocks for ${lineCount} lines, which would take long. Send fewer.`);
  }
}

/** A model that saw the mark may have copied it. */
function withoutMark(hunk: EditHunk): EditHunk {
  return {
    ...hunk,
    lines: hunk.lines.map((line) => ({
      ...line,
      text: line.text.startsWith(byteOrderMark) ? line.text.slice(1) : line.text,
    })),
  };
}

function linesOf(text: string): Line[] {
  const texts = text.split('\n');
  const last = texts.pop() as string;
  const lines: Line[] = texts.map((line) => ({ text: line, end: '\n' }));
  if (last !== '') lines.push({ text: last, end: '' });
  return lines;
}

function isWindows(lines: readonly Line[]): boolean {
  const ended = lines.filter(({ end }) => end === '\n');
  return ended.length > 0 && ended.every(({ text }) => text.endsWith('\r'));
}

function linesAfter(placed: Placed, { lines, returns: own }: FileLines, hasReturns: boolean): Line[] {
  const { hunk, start, end, isLoose } = placed;
  const there = lines.slice(start, end).map(({ text }) => text);
  const indented = isLoose ? indentedAs(hunk, there) : undefined;
  // Loosely placed, a return at the end of its lines was no part of the file.
  const returns = !hasReturns || isLoose ? own : '';
  const saysEnds = hunk.lines.some(({ isOpen }) => isOpen === true);
  let at = start;
  return hunk.lines.flatMap(({ kind, text, isOpen }): Line[] => {
    if (kind !== 'added') {
      const line = lines[at++] as Line;
      return kind === 'context' ? [line] : [];
    }
    const added = indented === undefined ? text : indented(text.replace(/\r$/, ''));
    const isLastOfFile = end === lines.length && !saysEnds;
    return [{ text: added + returns, end: isOpen === true ? '' : isLastOfFile ? undefined : '\n' }];
  });
}

function joined(output: readonly Line[], { lines, returns }: FileLines): string {
  const isOpen = lines.at(-1)?.end === '';
  const texts = output.map(({ text, end }, index) => {
    // A line that was the last of the file had no return either.
    if (index < output.length - 1) return end === '' && !text.endsWith('\r') ? `${text}${returns}\n` : `${text}\n`;
    if (end === undefined && isOpen) return text.replace(/\r$/, '');
    return end === '' ? text : `${text}\n`;
  });
  return texts.join('');
}
