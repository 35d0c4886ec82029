// One pack of objects, and its index. Neither is read as a whole, because the index of a large repository has some 100 MB.
import { readSync } from 'node:fs';
import type { GitFiles } from '../git-files.ts';
import { broken } from './errors.ts';

const types = ['', 'commit', 'tree', 'blob', 'tag', '', 'ofs', 'ref'] as const;
export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

/** The entry of an object in a pack, before its content. */
export interface PackEntry {
  type: ObjectType | 'delta';
  /** The size of the content, or of the delta itself. */
  size: number;
  /** The offset of the object that is the base of a delta. */
  base: number | undefined;
  /** Where the compressed content begins. */
  start: number;
}

/** The most bytes of an entry's header: two numbers with seven bits in each byte, and the id of a base. */
const maxHeader = 64;
const idBytes = 20;
const fanoutStart = 8;
const namesStart = fanoutStart + 256 * 4;

export class Pack {
  readonly #files: GitFiles;
  readonly #path: string;

  /** @param path absolute, without `.pack` or `.idx` */
  constructor(files: GitFiles, path: string) {
    this.#files = files;
    this.#path = path;
  }

  /** The offset of an object, by a binary search in the sorted ids of the index. */
  async offsetOf(oid: string): Promise<number | undefined> {
    const id = Buffer.from(oid, 'hex');
    return this.#files.withFile(`${this.#path}.idx`, (fd, size) => {
      const uint = (at: number): number => bytesAt(fd, at, 4).readUInt32BE();
      if (uint(0) !== 0xff744f63 || uint(4) !== 2) throw broken('an index of a pack, or its version is not 2, so it');
      const count = uint(fanoutStart + 255 * 4);
      if (namesStart + count * (idBytes + 8) > size) throw broken('an index of a pack');
      const first = id[0] as number;
      let low = first === 0 ? 0 : uint(fanoutStart + (first - 1) * 4);
      let high = Math.min(count, uint(fanoutStart + first * 4));
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        const order = bytesAt(fd, namesStart + middle * idBytes, idBytes).compare(id);
        if (order === 0) return offsetAt(uint, count, middle);
        if (order < 0) low = middle + 1;
        else high = middle;
      }
      return undefined;
    });
  }

  async entryAt(offset: number): Promise<PackEntry> {
    const header = await this.#files.withFile(`${this.#path}.pack`, (fd) => bytesAt(fd, offset, maxHeader, true));
    let at = 0;
    const next = (): number => {
      const byte = header[at++];
      if (byte === undefined) throw broken('a pack');
      return byte;
    };
    let byte = next();
    const type = types[(byte >> 4) & 7];
    let size = byte & 15;
    for (let weight = 16; byte >= 128; weight *= 128) size += ((byte = next()) & 127) * weight;
    if (type === undefined || type === '') throw broken('a pack');
    if (type !== 'ofs' && type !== 'ref') return { type, size, base: undefined, start: offset + at };
    if (type === 'ref') {
      const base = await this.offsetOf(header.toString('hex', at, at + idBytes));
      if (base === undefined) throw broken('a pack');
      return { type: 'delta', size, base, start: offset + at + idBytes };
    }
    let back = (byte = next()) & 127;
    while (byte >= 128) back = (back + 1) * 128 + ((byte = next()) & 127);
    if (back <= 0 || back > offset) throw broken('a pack');
    return { type: 'delta', size, base: offset - back, start: offset + at };
  }

  /** At most this many raw bytes of the pack. */
  async compressed(start: number, length: number): Promise<Buffer> {
    return this.#files.withFile(`${this.#path}.pack`, (fd, size) =>
      bytesAt(fd, start, Math.max(0, Math.min(length, size - start)), true),
    );
  }
}

function offsetAt(uint: (at: number) => number, count: number, index: number): number {
  const offsets = namesStart + count * (idBytes + 4);
  const offset = uint(offsets + index * 4);
  if (offset < 2 ** 31) return offset;
  // Offsets beyond 2 GB are in a separate table.
  const large = offsets + count * 4 + (offset - 2 ** 31) * 8;
  return uint(large) * 2 ** 32 + uint(large + 4);
}

function bytesAt(fd: number, start: number, length: number, mayBeLess = false): Buffer {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const count = readSync(fd, bytes, read, length - read, start + read);
    if (count === 0) break;
    read += count;
  }
  if (read < length && !mayBeLess) throw broken('an index of a pack');
  return bytes.subarray(0, read);
}
