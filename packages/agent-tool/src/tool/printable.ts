/**
 * `text` with all that does not print made visible, so that a script cannot show a person something other than
 * what it is: control characters, and format characters such as those that turn the direction of writing.
 * Line breaks and tabs stay.
 */
export function printable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(
      /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
      (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
    );
}

/** The first `max` characters, and `…` for the others. Never half a surrogate pair. */
export function shorten(text: string, max: number): string {
  const characters = Array.from(text.slice(0, 2 * max + 2));
  if (characters.length <= max) return text;
  return `${characters.slice(0, max).join('')}…`;
}
