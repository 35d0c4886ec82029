import { decompress } from '../source/decompress.ts';
import { unpackLz4 } from './lz4.ts';

export type Arrow = typeof import('@uwdata/flechette');

/** A buffer may not unpack to more. */
const maxUnpacked = 64 * 1024 * 1024;

let loading: Promise<Arrow> | undefined;

/** Loads the library with the first file, and gives it what unpacks buffers. */
export async function loadArrow(): Promise<Arrow> {
  return await (loading ??= import('@uwdata/flechette').then((arrow) => {
    const decoded = (unpack: (packed: Uint8Array, size: number) => Uint8Array) => ({
      decode: (packed: Uint8Array, size: number) => unpack(packed, checked(size)),
      encode: (): never => {
        throw new Error('nothing is written');
      },
    });
    arrow.setCompressionCodec(arrow.CompressionType.LZ4_FRAME, decoded(unpackLz4));
    arrow.setCompressionCodec(arrow.CompressionType.ZSTD, decoded(unpackZstd));
    return arrow;
  }));
}

function checked(size: number): number {
  if (size >= 0 && size <= maxUnpacked) return size;
  throw new Error(`it has a buffer that unpacks to ${size} bytes, and one may have ${maxUnpacked}`);
}

function unpackZstd(packed: Uint8Array, size: number): Uint8Array {
  const output = new Uint8Array(size);
  let written = 0;
  for (const piece of decompress('zstd', [Buffer.from(packed)])) {
    if (written + piece.length > size) throw new Error('it is longer than it says');
    output.set(piece, written);
    written += piece.length;
  }
  if (written !== size) throw new Error('it is not as long as it says');
  return output;
}
