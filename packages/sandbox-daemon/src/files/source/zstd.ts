import { Decompress } from 'fzstd';
import { maxWindowLog } from './compression.ts';

/** How much compressed data is handed over at a time. A block of four bytes may stand for 128 KiB. */
const fedBytes = 1024;

/** For Node before 22.15. */
export function* decompressZstd(compressed: Iterable<Buffer>): Generator<Buffer, void> {
  const pieces: Buffer[] = [];
  const stream = new Decompress((piece) => pieces.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)));
  let isFirst = true;
  for (const bytes of compressed) {
    if (isFirst) refuseLargeWindow(bytes);
    isFirst = false;
    for (let at = 0; at < bytes.length; at += fedBytes) {
      // This is a copy: the library keeps an incomplete block, and the next bytes are read into the same memory.
      stream.push(Buffer.from(bytes.subarray(at, at + fedBytes)));
      yield* pieces.splice(0);
    }
  }
  stream.push(new Uint8Array(0), true);
  yield* pieces.splice(0);
}

/** Refuses a large window, because the library takes the memory that a header asks for before there is any data. */
function refuseLargeWindow(frame: Buffer): void {
  const descriptor = frame[4] ?? 0;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  // A single-segment frame names no window. Its window is its content size, which the header holds in 1 to 8 bytes.
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] as number;
  const sizeBytes = [1, 2, 4, 8][descriptor >> 6] as number;
  const log = 10 + ((frame[5] ?? 0) >> 3);
  const sizeAt = 5 + dictionaryBytes;
  const size =
    frame.length < sizeAt + sizeBytes
      ? 0
      : sizeBytes === 8
        ? Number(frame.readBigUInt64LE(sizeAt))
        : frame.readUIntLE(sizeAt, sizeBytes);
  const window = isSingleSegment ? size : 2 ** log;
  if (window > 2 ** maxWindowLog) throw Object.assign(new Error('the window is too large'), { code: 'ZSTD_WINDOW' });
}
