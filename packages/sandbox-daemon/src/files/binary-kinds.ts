import { memberMark, memberPathOf } from '@mustard-sandbox/paths';
import { quote, type SandboxError } from '@mustard-sandbox/protocol';
import type { BuiltinCall } from './call.ts';
import type { Compression } from './source/compression.ts';

interface BinaryKind {
  /** Completes the sentence "x is …". */
  name: string;
  /** What a script can do with it. */
  how: string;
  /** Whether it holds files. An archive that holds only texts may look like a text itself. */
  isArchive?: boolean;
}

const notHere = 'nothing here reads it, so tell the user to attach it in another form';
const unpack = 'nothing here reads the files in it, so tell the user to unpack it and to attach those that matter';

const tar: BinaryKind = { name: 'a tar archive', how: unpack, isArchive: true };
const zip: BinaryKind = {
  name: 'a ZIP archive, as .docx, .xlsx and .jar are',
  how: `${unpack}; read_sheet and query read a spreadsheet whose name ends in .xlsx`,
  isArchive: true,
};

/** Kinds by the first bytes of a file. */
const kinds: readonly [start: string, kind: BinaryKind][] = [
  ['%PDF-', { name: 'a PDF', how: 'pdf_text reads its pages' }],
  ['PAR1', { name: 'a Parquet file', how: 'query reads it as a table' }],
  ['PK\x03\x04', zip],
  // These mark a ZIP without files, and a ZIP in several parts.
  ['PK\x05\x06', zip],
  ['PK\x07\x08', zip],
  ['SQLite format 3\0', { name: 'an SQLite database', how: 'query reads its tables: { t: { path, table } }' }],
  // Excel and Word before 2007, and messages of Outlook.
  [
    '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
    {
      name: 'a file of an old Office (.xls, .doc, .msg)',
      how: 'nothing here reads it, so tell the user to save it in a newer form: a spreadsheet as .xlsx, a mail as .eml',
    },
  ],
  ['ARROW1', { name: 'an Arrow file', how: 'query reads it as a table, if it is not compressed as a whole' }],
  ['\x89PNG', { name: 'a PNG image', how: notHere }],
  ['\xff\xd8\xff', { name: 'a JPEG image', how: notHere }],
  ['GIF8', { name: 'a GIF image', how: notHere }],
  ['\x7fELF', { name: 'a program for Linux', how: notHere }],
  ['MZ', { name: 'a program for Windows', how: notHere }],
  // Compressed inside another compression. A file that begins so is read as its content.
  ['\x1f\x8b\x08', { name: 'gzip', how: notHere }],
  ['\x28\xb5\x2f\xfd', { name: 'zstd', how: notHere }],
  ['BZh', { name: 'bzip2', how: notHere }],
  ['\xfd7zXZ\0', { name: 'xz', how: notHere }],
  ["7z\xbc\xaf'\x1c", { name: 'a 7z archive', how: unpack, isArchive: true }],
  ['Rar!\x1a\x07', { name: 'a RAR archive', how: unpack, isArchive: true }],
];

/** How many bytes at the start of a file show its kind. */
export const kindBytes = 512;

/** The kind of a file that is not text, if its first `kindBytes` show it. */
function binaryKindOf(start: Buffer): BinaryKind | undefined {
  if (isTar(start)) return tar;
  const text = start.toString('latin1', 0, 16);
  return kinds.find(([begin]) => text.startsWith(begin))?.[1];
}

/**
 * Whether it is an archive. Its files lie in pieces among names and padding, so reading them as its text would give
 * wrong answers.
 */
export function isArchive(start: Buffer): boolean {
  return binaryKindOf(start)?.isArchive === true;
}

/** The archive that a file is, of those whose files can be read. */
export function archiveKindOf(start: Buffer): 'zip' | 'tar' | undefined {
  if (isTar(start)) return 'tar';
  return binaryKindOf(start) === zip ? 'zip' : undefined;
}

/** @param how what it was taken out of, and what else the script can do */
export function refusedKind(
  start: Buffer,
  call: BuiltinCall,
  { compression, also = '' }: { compression?: Compression | undefined; also?: string } = {},
): SandboxError | undefined {
  const kind = binaryKindOf(start);
  if (kind === undefined) return undefined;
  const inside = compression === undefined ? '' : `, compressed by ${compression}`;
  const isReadIn = kind === tar || (kind === zip && compression === undefined);
  const how = isReadIn && memberPathOf(call.path) === undefined ? howToReadIn(call) : kind.how;
  return call.failed('NotReadableError', `${call.shown} is ${kind.name}${inside}: ${how}${also}.`);
}

function howToReadIn(call: BuiltinCall): string {
  const within = quote(`${call.path}${memberMark}`);
  return `list_files(${within}) shows the files in it, and their paths are read as any other`;
}

/** Whether a file begins as a tar archive does: by the sum of its first header, which every kind of tar has. */
export function isTar(start: Buffer): boolean {
  if (start.length < kindBytes || start[0] === 0) return false;
  const [from, to] = [148, 156];
  const said = /^[ \0]*([0-7]{1,7})[ \0]/.exec(start.toString('latin1', from, to))?.[1];
  if (said === undefined) return false;
  let sum = 0;
  // The checksum field itself counts as spaces.
  for (let at = 0; at < kindBytes; at++) sum += at >= from && at < to ? 0x20 : (start[at] as number);
  return sum === Number.parseInt(said, 8);
}
