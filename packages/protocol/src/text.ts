export { millisecondsOf } from './times.ts';

const shownCharacters = 200;

/**
 * Characters that do not print, move a cursor or change the order of the text. These are control, format and surrogate
 * characters, line and paragraph separators, characters that fonts leave out (fillers of Hangul, variation selectors),
 * and three that are drawn as nothing.
 */
const invisible = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{16fe4}\u{1d159}]`;

/** A variation selector that makes an emoji of the character before it, once. No name of a program can hold one. */
const ofEmoji = String.raw`(?<!(?!\p{ASCII})\p{Extended_Pictographic}[\ufe0e\ufe0f])(?<![0-9#*]\ufe0f(?=\u20e3))`;

/** Joiners in places where a script or an emoji needs them: after a letter that is not ASCII, and in emoji. */
const joiners = String.raw`(?<!(?!\p{ASCII})[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f][\u200c\u200d])`;

/** One character that does not print in code, commands and names. Line breaks and tabs are among these. */
export const unprintableInCode = new RegExp(invisible + ofEmoji, 'gu');
/** One character that does not print in other texts. Joiners are allowed where a script or an emoji needs them. */
export const unprintable = new RegExp(invisible + ofEmoji + joiners, 'gu');
const inPlaceOfAColumn = new RegExp(invisible, 'gu');

/**
 * Untrusted text, made safe to show to a person or to put into a prompt. Characters that do not print are written as
 * `\u{…}`. Line breaks and tabs are kept; a Windows line break becomes `\n`.
 */
export function printable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(unprintable, (character) => (character === '\n' || character === '\t' ? character : escape(character)));
}

/**
 * Like `printable`, for code, commands and names that a person approves. It also escapes joiners, which can make two
 * names look the same.
 */
export function printableCode(text: string): string {
  return printable(
    text.replace(unprintableInCode, (character) => (/[\n\r\t]/.test(character) ? character : escape(character))),
  );
}

/** Like `printable`, but on one line and cut to `maxCharacters`. It is for names, logs and messages. */
export function oneLine(text: string, maxCharacters = 2_000): string {
  return shorten(text, maxCharacters).replace(unprintable, escape);
}

/** `text` in quotes on one line, cut to 200 characters. */
export function quote(text: string): string {
  return `"${oneLine(text, shownCharacters)}"`;
}

/**
 * Cuts a text to its first `maxCharacters` characters and adds `…` if it was longer. It never splits a surrogate pair.
 */
export function shorten(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const characters = Array.from(text.slice(0, 2 * maxCharacters + 2));
  if (characters.length <= maxCharacters) return text;
  return `${characters.slice(0, maxCharacters).join('')}…`;
}

/** JSON that is safe to show. The value is the same, with the escapes that `JSON.stringify` leaves out. */
export function printableJson(json: string): string {
  return json.replace(unprintable, (character) => (character === '\n' ? character : escapeForJson(character)));
}

/** A line of source to put marks under. Each character takes one column, and no terminal acts on one. */
export function inColumns(line: string): string {
  return line.replace(inPlaceOfAColumn, ' ');
}

/** One character as `\u{…}`, with its code point in hexadecimal. */
export function escape(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}

/** JSON has escapes for UTF-16 units only, so this writes a pair where one is needed. */
function escapeForJson(character: string): string {
  return character
    .split('')
    .reduce((text, unit) => `${text}\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`, '');
}

// A path in quotes may contain spaces. A path without quotes ends at a space: the rest of a name then stays, but not
// its folders.
const quotedPath = /(['"`])(?:file:\/\/)?(?:\/|\\\\|[a-z]:[\\/])[^'"`\n]*\1/gi;
const barePath =
  /(?<![\w.])(?:file:\/\/)?(?:\/+[^\s/'"`()<>[\],;:]+|\\\\[^\s'"`()<>[\],;]+|[a-z]:[\\/][^\s'"`()<>[\],;:]*)(?:[\\/][^\s/'"`()<>[\],;:]*)*/gi;

/** A text of the system, of Node or of native code, with `<path>` in place of each absolute path. */
export function withoutPaths(text: string): string {
  return text.replace(quotedPath, '$1<path>$1').replace(barePath, '<path>');
}
