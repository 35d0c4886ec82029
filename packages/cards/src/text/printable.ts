/** A piece of a text: as it is, or one character that does not print and is shown as an escape. */
export interface Piece {
  text: string;
  isHidden: boolean;
}

// What `printableCode` of the client escapes: control and format characters, such as those that turn the direction of
// writing, halves of surrogate pairs, separators that look like none, and what is drawn as nothing. Not the selector that
// makes an emoji of the character before it.
const hidden =
  /(?![\n\t])[\u{16fe4}\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}](?<!(?!\p{ASCII})\p{Extended_Pictographic}[\ufe0e\ufe0f])(?<![0-9#*]\ufe0f(?=\u20e3))/gu;

/** The text in pieces, nothing of it invisible. Empty for an empty text. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(hidden)) {
    if (match.index > end) found.push({ text: text.slice(end, match.index), isHidden: false });
    found.push({ text: escaped(match[0]), isHidden: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push({ text: text.slice(end), isHidden: false });
  return found;
}

/** The same as one text. */
export function printable(text: string): string {
  return text.replaceAll(hidden, escaped);
}

/** How many characters of the text do not print, and on which line the first is; `undefined`: all of them print. */
export function findHidden(text: string): { count: number; line: number } | undefined {
  const found = [...text.matchAll(hidden)];
  const [first] = found;
  if (first === undefined) return undefined;
  return { count: found.length, line: text.slice(0, first.index).split('\n').length };
}

/** As `printable`, on one line: for names and titles. */
export function oneLine(text: string): string {
  // Only blanks that everyone knows: others are shown, so that no name looks like another one.
  return printable(text.replaceAll(/[ \t\n\v\f\r]+/g, ' ').replaceAll(/^ | $/g, ''));
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}
