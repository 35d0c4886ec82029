import { Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import type { Compression } from './compression.ts';
import { decompressZstd } from './zstd.ts';

/** A window is memory that the decompressor holds: 128 MiB, which is what the `zstd` command accepts as well. */
export const maxWindowLog = 27;

/** How much is decompressed at a time. It bounds what a bomb can make of one piece. */
const pieceBytes = 256 * 1024;

// Node's own since 22.15; the types of Node 20 do not know it.
const { createZstdDecompress } = zlib as { createZstdDecompress?: (options: object) => Transform };

/**
 * What a compressed file holds, in pieces. Only as much is decompressed as is asked for.
 *
 * @param compressed the file's bytes, in pieces
 * @throws errors of zlib and zstd for data that is broken or cut off
 */
export function decompress(kind: Compression, compressed: () => Iterable<Buffer>): AsyncIterator<Buffer> {
  if (kind === 'gzip') return through(zlib.createGunzip({ chunkSize: pieceBytes }), compressed);
  if (createZstdDecompress === undefined) return decompressZstd(compressed());
  const params = { [zstdWindowLogMax]: maxWindowLog };
  return through(createZstdDecompress({ chunkSize: pieceBytes, params }), compressed);
}

/** `ZSTD_d_windowLogMax` of the format's library. */
const zstdWindowLogMax = 100;

function through(transform: Transform, compressed: () => Iterable<Buffer>): AsyncIterator<Buffer> {
  // Not `pipeline`: the iterator destroys the transform, and only the transform's errors count.
  const source = Readable.from(compressed(), { objectMode: false });
  source.on('error', (error) => transform.destroy(error));
  source.pipe(transform);
  const iterator = transform[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  return {
    next: () => iterator.next(),
    async return() {
      source.destroy();
      transform.destroy();
      return { done: true, value: undefined };
    },
  };
}
