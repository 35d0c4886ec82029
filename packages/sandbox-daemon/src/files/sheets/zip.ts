import { readSync } from 'node:fs';
import type { BuiltinCall } from '../call.ts';
import { spendInAll } from '../budget.ts';
import type { BuiltinContext } from '../context.ts';
import { inflate } from '../source/decompress.ts';

interface Entry {
  method: number;
  packedBytes: number;
  offset: number;
}

const endMark = 0x06054b50;
const entryMark = 0x02014b50;
const localMark = 0x04034b50;
/** The end record may have a comment of 64 KB after it. */
const endBytes = 22 + 65_535;
const maxEntries = 10_000;
const maxDirectoryBytes = 4 * 1024 * 1024;
const pieceBytes = 256 * 1024;

/**
 * The files in a ZIP, by name. Only files that are read are unpacked, in pieces that count towards what the run may
 * read.
 */
export class Zip {
  readonly #fd: number;
  readonly #context: BuiltinContext;
  readonly #call: BuiltinCall;
  readonly #entries: ReadonlyMap<string, Entry>;

  constructor(fd: number, size: number, context: BuiltinContext, call: BuiltinCall) {
    this.#fd = fd;
    this.#context = context;
    this.#call = call;
    this.#entries = this.#directory(size);
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** The content of one of its files, in pieces. The next piece overwrites the one before. */
  *read(name: string): Generator<Buffer, void> {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw this.#broken(`it has no ${name}`);
    const local = this.#at(entry.offset, 30);
    if (local.length < 30 || local.readUInt32LE(0) !== localMark)
      throw this.#broken('a part is not where it should be');
    const start = entry.offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
    const packed = this.#pieces(start, entry.packedBytes);
    if (entry.method !== 0 && entry.method !== 8) throw this.#broken('it is packed in a way that nothing here reads');
    const pieces = entry.method === 0 ? packed : inflate(packed);
    for (;;) {
      let next: IteratorResult<Buffer, void>;
      try {
        next = pieces.next();
      } catch {
        throw this.#broken('its packed data is broken or cut off');
      }
      if (next.done === true) return;
      spendInAll(this.#context.budget, next.value.length, this.#call);
      this.#context.pace.check();
      yield next.value;
    }
  }

  *#pieces(start: number, bytes: number): Generator<Buffer, void> {
    const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, Math.max(1, bytes)));
    for (let at = 0; at < bytes;) {
      const count = readSync(this.#fd, buffer, 0, Math.min(buffer.length, bytes - at), start + at);
      if (count === 0) throw new Error('cut off');
      at += count;
      yield buffer.subarray(0, count);
    }
  }

  #directory(size: number): Map<string, Entry> {
    const end = this.#at(Math.max(0, size - endBytes), Math.min(size, endBytes));
    let at = end.length - 22;
    while (at >= 0 && end.readUInt32LE(at) !== endMark) at--;
    if (at < 0) throw this.#broken('it is cut off, or no ZIP');
    const [count, bytes, offset] = [end.readUInt16LE(at + 10), end.readUInt32LE(at + 12), end.readUInt32LE(at + 16)];
    if (count === 0xffff || offset === 0xffffffff || count > maxEntries || bytes > maxDirectoryBytes) {
      throw this.#broken('it has more parts than such a file needs');
    }
    return this.#entriesIn(this.#at(offset, bytes), count);
  }

  #entriesIn(directory: Buffer, count: number): Map<string, Entry> {
    const entries = new Map<string, Entry>();
    let at = 0;
    for (let index = 0; index < count; index++) {
      if (at + 46 > directory.length || directory.readUInt32LE(at) !== entryMark)
        throw this.#broken('its list of parts is broken');
      const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field)) as [
        number,
        number,
        number,
      ];
      const name = directory.toString('utf8', at + 46, at + 46 + nameBytes);
      const isLocked = (directory.readUInt16LE(at + 8) & 1) !== 0;
      if (isLocked) throw this.#broken('it is locked by a password');
      entries.set(name, {
        method: directory.readUInt16LE(at + 10),
        packedBytes: directory.readUInt32LE(at + 20),
        offset: directory.readUInt32LE(at + 42),
      });
      at += 46 + nameBytes + extraBytes + commentBytes;
    }
    return entries;
  }

  #at(position: number, bytes: number): Buffer {
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(this.#fd, buffer, 0, bytes, position));
  }

  #broken(why: string): Error {
    return this.#call.failed('NotReadableError', `${this.#call.shown} cannot be read: ${why}.`);
  }
}
