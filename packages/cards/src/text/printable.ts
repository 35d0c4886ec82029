import { escape, unprintable, unprintableInCode } from '@mustard-sandbox/protocol/text';

/** A piece of a text: unchanged, or one character that does not print and is shown as an escape. */
export interface Piece {
  text: string;
  isHidden: boolean;
}

// Line breaks and tabs are part of a text that is shown on several lines.
const hiddenInCode = new RegExp(`(?![\\n\\t])${unprintableInCode.source}`, 'gu');
const hiddenInOutput = new RegExp(`(?![\\n\\t])${unprintable.source}`, 'gu');

/**
 * The text in pieces, with nothing invisible. Empty for an empty text. With `isOutput`, joiners of emoji stay
 * unchanged.
 */
export function pieces(text: string, isOutput = false): Piece[] {
  const found: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(isOutput ? hiddenInOutput : hiddenInCode)) {
    if (match.index > end) found.push({ text: text.slice(end, match.index), isHidden: false });
    found.push({ text: escape(match[0]), isHidden: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push({ text: text.slice(end), isHidden: false });
  return found;
}

/** The text with an escape for each character that does not print. For code, commands and names. */
export function printable(text: string): string {
  return text.replaceAll(hiddenInCode, escape);
}

/**
 * How many characters of a script do not print, and on which line the first one is; `undefined` when all of them print.
 */
export function findHidden(text: string): { count: number; line: number } | undefined {
  const found = [...text.matchAll(hiddenInCode)];
  const [first] = found;
  if (first === undefined) return undefined;
  return { count: found.length, line: text.slice(0, first.index).split('\n').length };
}

/** Like `printable`, but on one line. For names and titles: no joiner can make two of them look the same. */
export function oneLine(text: string): string {
  return printable(onOneLine(text));
}

/** Like `oneLine`, for output of a script: emoji of several characters stay whole. */
export function outputLine(text: string): string {
  return onOneLine(text).replaceAll(hiddenInOutput, escape);
}

/** Only ordinary blanks are joined. Others are shown, so that no name looks like another one. */
function onOneLine(text: string): string {
  return text.replaceAll(/[ \t\n\v\f\r]+/g, ' ').replaceAll(/^ | $/g, '');
}
