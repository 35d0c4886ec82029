/**
 * A name on one line of a prompt or a terminal. What could begin another line there, move the cursor or reorder what
 * is shown is written as an escape: a file's name is chosen by whoever made the file.
 */
export function visible(name: string): string {
  return name.replace(
    /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}
