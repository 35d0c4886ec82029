import * as zlib from 'node:zlib';
import { maxWindowLog, type Compression } from './compression.ts';
import { decompressZstd } from './zstd.ts';

/** How many bytes are decompressed at a time. This bounds what a bomb can make of one piece. */
const pieceBytes = 256 * 1024;

/**
 * The internals of Node's decompressors. Their public interfaces either wait for a stream, or decompress all of a bomb
 * at once. pngjs uses the internals in the same way.
 */
interface Decompressor {
  destroy(): void;
  readonly _handle: {
    writeSync(flush: number, from: Buffer, at: number, bytes: number, to: Buffer, toAt: number, room: number): void;
  };
  /** After each write: the room that is left in the output, and the bytes of the input that were not taken. */
  readonly _writeState: Uint32Array;
}

// Node has it since 22.15, but the types of Node 20 do not know it.
const { createZstdDecompress } = zlib as { createZstdDecompress?: (options: object) => unknown };

/**
 * The content of a compressed file, in pieces. Only as much is decompressed as is asked for. The next piece overwrites
 * this one.
 *
 * @param compressed the file's bytes, in pieces
 * @throws errors of zlib and zstd for data that is broken or cut off
 */
export function decompress(kind: Compression, compressed: Iterable<Buffer>): Generator<Buffer, void> {
  if (kind === 'gzip') return through(kind, () => zlib.createGunzip(), compressed);
  if (createZstdDecompress === undefined) return decompressZstd(compressed);
  return through(kind, () => createZstdDecompress({ params: { [zstdWindowLogMax]: maxWindowLog } }), compressed);
}

/** The content of data that is packed by plain deflate, as in a ZIP. */
export function inflate(packed: Iterable<Buffer>): Generator<Buffer, void> {
  return through('gzip', () => zlib.createInflateRaw(), packed);
}

/** `ZSTD_d_windowLogMax` of the format's library. */
const zstdWindowLogMax = 100;

/** The flag that says that nothing follows. For zstd it is `ZSTD_e_end`. */
const finish = { gzip: zlib.constants.Z_FINISH, zstd: 2 };

function* through(kind: Compression, make: () => unknown, compressed: Iterable<Buffer>): Generator<Buffer, void> {
  const decompressor = make() as Decompressor;
  const { _handle: handle, _writeState: state } = decompressor;
  let problem: string | undefined;
  // The original would call the listeners of the stream, which has none.
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
        // zstd continues with the next frame, which Node's own stream leaves out. After the end of gzip there are
        // zeros.
        if (room > 0 && left > 0 && kind === 'gzip') return;
        if (room === piece.length && left > 0 && left === before) throw new Error('there is no more in it');
      }
    }
  } finally {
    decompressor.destroy();
  }
}

/** Each of the pieces, and then the flag that they have ended. */
function* withEnd(pieces: Iterable<Buffer>, end: number): Generator<[Buffer, number]> {
  for (const bytes of pieces) yield [bytes, 0];
  yield [Buffer.alloc(0), end];
}
