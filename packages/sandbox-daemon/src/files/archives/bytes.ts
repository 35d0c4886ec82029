import { readSync } from 'node:fs';
import type { OpenFile } from '@mustard-sandbox/paths';
import { BrokenArchive } from './archive.ts';

/** Bytes that can be read at any position. */
export interface Bytes {
  readonly size: number;
  /** Fills the buffer with the bytes from `position` on. @returns how many there were; 0 at the end */
  read(buffer: Buffer, position: number): number;
}

export function bytesOfFile({ fd, stats }: Pick<OpenFile, 'fd' | 'stats'>): Bytes {
  return { size: stats.size, read: (buffer, position) => readSync(fd, buffer, 0, buffer.length, position) };
}

export function bytesInMemory(bytes: Uint8Array): Bytes {
  return {
    size: bytes.length,
    read(buffer, position) {
      const found = bytes.subarray(position, position + buffer.length);
      buffer.set(found);
      return found.length;
    },
  };
}

/** The bytes from `start` up to `end`, or as many as there are. */
export function bytesAt(bytes: Bytes, start: number, end: number): Buffer {
  return filled(Buffer.allocUnsafe(Math.max(0, end - start)), bytes, start);
}

/** All bytes in memory that nothing else shares, for a library that may take over the memory. */
export function ownBytes(bytes: Bytes): Uint8Array<ArrayBuffer> {
  const { buffer, length } = filled(Buffer.allocUnsafeSlow(bytes.size), bytes, 0);
  return new Uint8Array(buffer as ArrayBuffer, 0, length);
}

function filled(buffer: Buffer, bytes: Bytes, start: number): Buffer {
  let at = 0;
  for (let count = -1; count !== 0 && at < buffer.length; at += count) {
    count = bytes.read(buffer.subarray(at), start + at);
  }
  return buffer.subarray(0, at);
}

const pieceBytes = 256 * 1024;

/** The bytes from `start` up to `end` in pieces. Each piece overwrites the one before. */
export function* piecesOf(bytes: Bytes, start: number, end: number): Generator<Buffer, void> {
  const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, Math.max(1, end - start)));
  for (let at = start; at < end;) {
    const count = bytes.read(buffer.subarray(0, Math.min(buffer.length, end - at)), at);
    if (count === 0) throw new BrokenArchive('the archive is cut off');
    at += count;
    yield buffer.subarray(0, count);
  }
}
