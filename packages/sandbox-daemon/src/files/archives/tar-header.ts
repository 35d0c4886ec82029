import { BrokenArchive } from './archive.ts';
import { isTar } from '../binary-kinds.ts';

/** Records before a file for what its header cannot hold. */
export interface Records {
  path?: string;
  size?: number;
}

/** The types of entries with which GNU tar stores long names, and whose name each stores. */
export const longNames: Readonly<Record<string, keyof Records | 'link'>> = { L: 'path', K: 'link' };

/** Whether this is a block of zeros, which ends an archive. */
export function isEnd(header: Buffer): boolean {
  return header[0] === 0 && header.every((byte) => byte === 0);
}

/** A number in a header. @throws {BrokenArchive} for an invalid header */
export function numberIn(header: Buffer, at: number, length: number): number {
  // GNU tar writes sizes from 8 GB on in binary.
  if (((header[at] as number) & 0x80) !== 0) {
    const number = Number(header.readBigUInt64BE(at + length - 8));
    if (!Number.isSafeInteger(number)) throw new BrokenArchive('the archive is broken');
    return number;
  }
  const digits = /^[ \0]*([0-7]*)[ \0]*$/.exec(header.toString('latin1', at, at + length))?.[1];
  if (digits === undefined) throw new BrokenArchive('the archive is broken');
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

/** The name of a file, with its folders. @throws {BrokenArchive} for an invalid header */
export function textIn(header: Buffer): string {
  if (!isTar(header)) throw new BrokenArchive('the archive is broken');
  const field = (at: number, length: number): string => {
    const end = header.subarray(at, at + length).indexOf(0);
    return header.toString('utf8', at, end === -1 ? at + length : at + end);
  };
  const name = field(0, 100);
  // In the format of GNU tar, these bytes have another meaning.
  const prefix = header.toString('latin1', 257, 263) === 'ustar\0' ? field(345, 155) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Reads a long name of GNU tar, or lines `25 path=a/long/name` of POSIX. @throws {BrokenArchive} for anything else */
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
    // Sparse files are not supported: an archive has only some pieces of their content.
    if (key.startsWith('GNU.sparse')) throw new BrokenArchive('the archive has sparse files');
    at += length;
  }
  return records;
}

function sizeIn(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new BrokenArchive('the archive is broken');
  return Number(value);
}
