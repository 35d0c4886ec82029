import * as zlib from 'node:zlib';
import { memberSegments } from '@mustard-sandbox/paths';
import type { BuiltinCall } from '../call.ts';
import { inflate } from '../source/decompress.ts';
import {
  BrokenArchive,
  linkInArchive,
  maxMembers,
  otherInArchive,
  twiceInArchive,
  type Archive,
  type Member,
} from './archive.ts';
import { bytesAt, piecesOf, type Bytes } from './bytes.ts';

interface ZipMember extends Member {
  method: number;
  packedBytes: number;
  offset: number;
  crc: number;
}

const endMark = 0x06054b50;
const entryMark = 0x02014b50;
const localMark = 0x04034b50;
/** The size of the end record with the longest comment, which has 64 KB. */
const endBytes = 22 + 65_535;
const maxDirectoryBytes = 32 * 1024 * 1024;
const unix = 3;
const [kindBits, regularKind, folderKind, linkKind] = [0xf000, 0x8000, 0x4000, 0xa000];

// Node has crc32 since 20.15, but the types of Node 20 lack it.
const { crc32 } = zlib as unknown as { crc32: (data: Buffer, value?: number) => number };

/** A ZIP. As in other programs, its central directory determines the files, and their local headers do not count. */
export class Zip implements Archive<ZipMember> {
  readonly members: Map<string, ZipMember>;
  readonly #bytes: Bytes;
  readonly #call: BuiltinCall;

  /**
   * @param known the files of the archive, if they are already known
   * @throws {SandboxError} `script_error` for a file that is not a ZIP or is broken
   */
  constructor(bytes: Bytes, call: BuiltinCall, known?: Archive['members']) {
    this.#bytes = bytes;
    this.#call = call;
    this.members = (known as Map<string, ZipMember> | undefined) ?? new Map();
    if (known === undefined) this.#readDirectory();
  }

  *read(member: ZipMember): Generator<Buffer, void> {
    const local = bytesAt(this.#bytes, member.offset, member.offset + 30);
    if (local.length < 30 || local.readUInt32LE(0) !== localMark)
      throw new BrokenArchive('a file in it is not where it should be');
    const start = member.offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
    const packed = piecesOf(this.#bytes, start, start + member.packedBytes);
    let [crc, size] = [0, 0];
    for (const piece of member.method === 0 ? packed : inflate(packed)) {
      crc = crc32(piece, crc);
      size += piece.length;
      if (size > member.size) break;
      yield piece;
    }
    if (size !== member.size || crc !== member.crc) throw new BrokenArchive('its data is not what the archive says');
  }

  #readDirectory(): void {
    const { size } = this.#bytes;
    const end = bytesAt(this.#bytes, Math.max(0, size - endBytes), size);
    let at = end.length - 22;
    while (at >= 0 && end.readUInt32LE(at) !== endMark) at--;
    if (at < 0) throw this.#broken('it is cut off, or no ZIP');
    const [count, bytes, offset] = [end.readUInt16LE(at + 10), end.readUInt32LE(at + 12), end.readUInt32LE(at + 16)];
    if (count === 0xffff || offset === 0xffffffff || count > maxMembers || bytes > maxDirectoryBytes) {
      throw this.#broken('it is a ZIP of more than 4 GB or 65,534 files');
    }
    this.#readEntries(bytesAt(this.#bytes, offset, offset + bytes), count);
  }

  #readEntries(directory: Buffer, count: number): void {
    let at = 0;
    for (let index = 0; index < count; index++) {
      if (at + 46 > directory.length || directory.readUInt32LE(at) !== entryMark)
        throw this.#broken('the archive is broken');
      const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field)) as [
        number,
        number,
        number,
      ];
      const name = directory.toString('utf8', at + 46, at + 46 + nameBytes);
      const key = name.endsWith('/') ? undefined : memberSegments(name)?.join('/');
      if (key !== undefined) this.#add(key, memberIn(directory.subarray(at, at + 46)));
      at += 46 + nameBytes + extraBytes + commentBytes;
    }
  }

  #add(key: string, member: ZipMember): void {
    this.members.set(key, this.members.has(key) ? { ...member, refusal: twiceInArchive } : member);
  }

  #broken(why: string): Error {
    return this.#call.failed('NotReadableError', `${this.#call.shown} cannot be read: ${why}.`);
  }
}

function memberIn(entry: Buffer): ZipMember {
  const method = entry.readUInt16LE(10);
  const refusal = refusalOf(entry, method);
  return {
    method,
    crc: entry.readUInt32LE(16),
    packedBytes: entry.readUInt32LE(20),
    size: entry.readUInt32LE(24),
    offset: entry.readUInt32LE(42),
    ...(refusal !== undefined && { refusal }),
  };
}

function refusalOf(entry: Buffer, method: number): string | undefined {
  const kind = entry[5] === unix ? (entry.readUInt32LE(38) >>> 16) & kindBits : 0;
  if (kind === linkKind) return linkInArchive;
  if (kind !== 0 && kind !== regularKind && kind !== folderKind) return otherInArchive;
  if ((entry.readUInt16LE(8) & 1) !== 0) return 'locked by a password';
  return method === 0 || method === 8 ? undefined : 'packed in a way that nothing here reads';
}
