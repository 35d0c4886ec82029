/**
 * The text with the ends of lines that the file has: models write `\n`, and a file with `\r\n` would change in every
 * line. A file that has both, and a text that has `\r` of its own, stay as they are.
 *
 * @param before what is in the file now
 */
export function withLineEndsOf(before: Uint8Array, text: string): string {
  if (text.includes('\r')) return text;
  const ends =
    Buffer.from(before.buffer, before.byteOffset, before.byteLength).toString('latin1').match(/\r?\n/g) ?? [];
  const isWindows = ends.length > 0 && ends.every((end) => end === '\r\n');
  return isWindows ? text.replaceAll('\n', '\r\n') : text;
}
