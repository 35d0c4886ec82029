import { BrokenArchive } from './archive.ts';
import { isTar } from '../binary-kinds.ts';

/** What stands before a file and says more of it than its header can. */
export interface Records {
  path?: string;
  size?: number;
}

/** The kinds of entries by which GNU tar tells a long name, and what each is of. */
export const longNames: Readonly<Record<string, keyof Records | 'link'>> = { L: 'path', K: 'link' };

/** A block of zeros ends an archive. */
export function isEnd(header: Buffer): boolean {
  return header[0] === 0 && header.every((byte) => byte === 0);
}

/** @throws {BrokenArchive} for what is no header */
export function numberIn(header: Buffer, at: number, length: number): number {
  // From 8 GB on, GNU tar writes it in binary.
  if (((header[at] as number) & 0x80) !== 0) {
    const number = Number(header.readBigUInt64BE(at + length - 8));
    if (!Number.isSafeInteger(number)) throw new BrokenArchive('the archive is broken');
    return number;
  }
  const digits = /^[ \0]*([0-7]*)[ \0]*$/.exec(header.toString('latin1', at, at + length))?.[1];
  if (digits === undefined) throw new BrokenArchive('the archive is broken');
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

/** The name of a file, with its folders. @throws {BrokenArchive} for what is no header */
export function textIn(header: Buffer): string {
  if (!isTar(header)) throw new BrokenArchive('the archive is broken');
  const field = (at: number, length: number): string => {
    const end = header.subarray(at, at + length).indexOf(0);
    return header.toString('utf8', at, end === -1 ? at + length : at + end);
  };
  const name = field(0, 100);
  // GNU tar has other things there.
  const prefix = header.toString('latin1', 257, 263) === 'ustar\0' ? field(345, 155) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Of a long name of GNU tar, or the lines `25 path=a/long/name` of POSIX. @throws {BrokenArchive} for what is neither */
export function recordsIn(type: string, bytes: Buffer): Records {
  const kind = longNames[type];
  if (kind === 'link') return {};
  if (kind !== undefined) return { path: bytes.toString('utf8').replace(/\0.*$/s, '') };
  const records: Records = {};
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(bytes.toString('latin1', at, space));
    if (space === -1 || !Number.isInteger(length) || length < 5 || at + length > bytes.length) {
      throw new BrokenArchive('the archive is broken');
    }
    const record = bytes.toString('utf8', space + 1, at + length - 1);
    const equals = record.indexOf('=');
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)];
    if (key === 'path') records.path = value;
    if (key === 'size') records.size = sizeIn(value);
    // The content of a sparse file is in pieces of it.
    if (key.startsWith('GNU.sparse')) throw new BrokenArchive('the archive has sparse files');
    at += length;
  }
  return records;
}

function sizeIn(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new BrokenArchive('the archive is broken');
  return Number(value);
}
