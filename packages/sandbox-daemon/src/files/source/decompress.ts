import * as zlib from 'node:zlib';
import { maxWindowLog, type Compression } from './compression.ts';
import { decompressZstd } from './zstd.ts';

/** How much is decompressed at a time. It bounds what a bomb can make of one piece. */
const pieceBytes = 256 * 1024;

/**
 * What Node's decompressors are inside. Their public ways are to wait for a stream, or to make all at once of a bomb as
 * well; pngjs goes this way, too.
 */
interface Decompressor {
  destroy(): void;
  readonly _handle: {
    writeSync(flush: number, from: Buffer, at: number, bytes: number, to: Buffer, toAt: number, room: number): void;
  };
  /** After each write: the room that is left, and the bytes that were not taken. */
  readonly _writeState: Uint32Array;
}

// Node's own since 22.15; the types of Node 20 do not know it.
const { createZstdDecompress } = zlib as { createZstdDecompress?: (options: object) => unknown };

/**
 * What a compressed file holds, in pieces. Only as much is decompressed as is asked for. The next piece overwrites this one.
 *
 * @param compressed the file's bytes, in pieces
 * @throws errors of zlib and zstd for data that is broken or cut off
 */
export function decompress(kind: Compression, compressed: Iterable<Buffer>): Generator<Buffer, void> {
  if (kind === 'gzip') return through(kind, () => zlib.createGunzip(), compressed);
  if (createZstdDecompress === undefined) return decompressZstd(compressed);
  return through(kind, () => createZstdDecompress({ params: { [zstdWindowLogMax]: maxWindowLog } }), compressed);
}

/** What is packed by deflate alone, as in a ZIP. */
export function inflate(packed: Iterable<Buffer>): Generator<Buffer, void> {
  return through('gzip', () => zlib.createInflateRaw(), packed);
}

/** `ZSTD_d_windowLogMax` of the format's library. */
const zstdWindowLogMax = 100;

/** Says that nothing follows; that of zstd is `ZSTD_e_end`. */
const finish = { gzip: zlib.constants.Z_FINISH, zstd: 2 };

function* through(kind: Compression, make: () => unknown, compressed: Iterable<Buffer>): Generator<Buffer, void> {
  const decompressor = make() as Decompressor;
  const { _handle: handle, _writeState: state } = decompressor;
  let problem: string | undefined;
  // Its own would tell the listeners of the stream, of which there are none.
  Object.assign(handle, { onerror: (message: string) => (problem = message) });
  const piece = Buffer.allocUnsafe(pieceBytes);
  try {
    for (const [bytes, flush] of withEnd(compressed, finish[kind])) {
      for (let left = bytes.length, room = 0; room === 0 || left > 0;) {
        const before = left;
        handle.writeSync(flush, bytes, bytes.length - left, left, piece, 0, piece.length);
        if (problem !== undefined) throw new Error(problem);
        [room, left] = state as unknown as [number, number];
        if (room < piece.length) yield piece.subarray(0, piece.length - room);
        // Of zstd, the next frame comes, which Node's own stream leaves out. Of gzip, there are zeros behind the end.
        if (room > 0 && left > 0 && kind === 'gzip') return;
        if (room === piece.length && left > 0 && left === before) throw new Error('there is no more in it');
      }
    }
  } finally {
    decompressor.destroy();
  }
}

/** Each of the pieces, and that they have come to their end. */
function* withEnd(pieces: Iterable<Buffer>, end: number): Generator<[Buffer, number]> {
  for (const bytes of pieces) yield [bytes, 0];
  yield [Buffer.alloc(0), end];
}
