import { EditRefused, type EditHunk } from './edit-hunk.ts';
import { indentedAs } from './indentation.ts';
import { placeHunks, type Placed } from './place-hunks.ts';

const maxHunks = 1000;
const maxEditChars = 1024 * 1024;
/** The most comparisons of lines. Each hunk is looked for in all lines, at most three times. */
const maxWork = 20_000_000;
const byteOrderMark = '\uFEFF';

interface Line {
  text: string;
  /** `''` when the line ends the file without a line break; `undefined` when this is as in the file. */
  end: '\n' | '' | undefined;
}

interface FileLines {
  lines: readonly Line[];
  /** What each line ends with before its `\n`. */
  returns: string;
}

interface Edited {
  text: string;
  /** Notes for a person on hunks that were not placed exactly as given. */
  inexact: string[];
}

/**
 * Makes an edit of a text. If the edit has no `\r` of its own, lines end as in the file. A byte order mark stays. A missing
 * line break at the end stays too, unless the edit says otherwise.
 *
 * @throws {EditRefused} when it is not clear exactly what is meant
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

/** Removes a byte order mark, which a model may have copied from the file. */
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
  // In a loosely placed hunk, a `\r` at the end of a line was not in the file.
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
    // The last line of a file without a line break had no `\r` either.
    if (index < output.length - 1) return end === '' && !text.endsWith('\r') ? `${text}${returns}\n` : `${text}\n`;
    if (end === undefined && isOpen) return text.replace(/\r$/, '');
    return end === '' ? text : `${text}\n`;
  });
  return texts.join('');
}
