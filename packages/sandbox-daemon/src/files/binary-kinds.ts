interface BinaryKind {
  /** Completes "x is …". */
  name: string;
  /** What a script can do with it. */
  how: string;
}

const notHere = 'nothing here reads it, so tell the user to attach it in another form';

/** By the first bytes of a file. */
const kinds: readonly [start: string, kind: BinaryKind][] = [
  ['%PDF-', { name: 'a PDF', how: 'pdf_text reads its pages' }],
  ['PAR1', { name: 'a Parquet file', how: 'query reads it as a table' }],
  ['PK\x03\x04', { name: 'a ZIP archive, as .docx, .xlsx and .jar are', how: notHere }],
  ['SQLite format 3\0', { name: 'an SQLite database', how: notHere }],
  ['\x89PNG', { name: 'a PNG image', how: notHere }],
  ['\xff\xd8\xff', { name: 'a JPEG image', how: notHere }],
  ['GIF8', { name: 'a GIF image', how: notHere }],
  ['\x7fELF', { name: 'a program for Linux', how: notHere }],
  ['MZ', { name: 'a program for Windows', how: notHere }],
  ['BZh', { name: 'bzip2', how: notHere }],
  ['\xfd7zXZ\0', { name: 'xz', how: notHere }],
  ["7z\xbc\xaf'\x1c", { name: 'a 7z archive', how: notHere }],
];

/** What a file that is no text is, where its first 16 bytes tell. */
export function binaryKindOf(start: Buffer): BinaryKind | undefined {
  const text = start.toString('latin1');
  return kinds.find(([begin]) => text.startsWith(begin))?.[1];
}
