/**
 * The text with the line ends of the file. Models write `\n`, so otherwise a file with `\r\n` would change in every line. If
 * the file has both kinds or the text has `\r` of its own, the text stays as it is.
 *
 * @param before the content of the file now
 */
export function withLineEndsOf(before: Uint8Array, text: string): string {
  if (text.includes('\r')) return text;
  const ends =
    Buffer.from(before.buffer, before.byteOffset, before.byteLength).toString('latin1').match(/\r?\n/g) ?? [];
  const isWindows = ends.length > 0 && ends.every((end) => end === '\r\n');
  return isWindows ? text.replaceAll('\n', '\r\n') : text;
}
