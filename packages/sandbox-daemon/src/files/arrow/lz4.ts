const magic = 0x184d2204;
const minMatch = 4;

/**
 * Unpacks a frame of LZ4, which Arrow uses for its buffers: https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md.
 * Checksums are not looked at.
 *
 * @param size how much there must be in it
 * @throws {Error} for data that is broken, or of another size
 */
export function unpackLz4(frame: Uint8Array, size: number): Uint8Array {
  const packed = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  const output = new Uint8Array(size);
  if (packed.readUInt32LE(0) !== magic) throw new Error('it is no frame of LZ4');
  const flags = packed.readUInt8(4);
  const [hasDictionary, hasSize, hasBlockSums] = [flags & 1, flags & 8, flags & 16];
  if (flags >> 6 !== 1 || hasDictionary !== 0) throw new Error('it is LZ4 of another kind');
  let at = 7 + (hasSize === 0 ? 0 : 8);
  let written = 0;
  for (;;) {
    const header = packed.readUInt32LE(at);
    at += 4;
    if (header === 0) break;
    const length = header & 0x7fffffff;
    const block = packed.subarray(at, at + length);
    if (block.length < length) throw new Error('it is cut off');
    if (header >>> 31 === 1) {
      output.set(block, written);
      written += length;
    } else written = unpackBlock(block, output, written);
    at += length + (hasBlockSums === 0 ? 0 : 4);
  }
  if (written !== size) throw new Error('it is not as long as it says');
  return output;
}

/** @returns where the output ends */
function unpackBlock(block: Uint8Array, output: Uint8Array, start: number): number {
  let at = 0;
  let written = start;
  /** A length of 15 goes on in bytes, of which all but the last are 255. */
  const lengthFrom = (short: number): number => {
    let length = short;
    if (short === 15) {
      for (let more = 255; more === 255; length += more) {
        if (at >= block.length) throw new Error('it is cut off');
        more = block[at++] as number;
      }
    }
    return length;
  };
  while (at < block.length) {
    const token = block[at++] as number;
    const literals = lengthFrom(token >> 4);
    if (at + literals > block.length || written + literals > output.length) throw new Error('it is broken');
    output.set(block.subarray(at, at + literals), written);
    at += literals;
    written += literals;
    // The last sequence has no match.
    if (at === block.length) break;
    const back = (block[at] as number) | ((block[at + 1] as number) << 8);
    at += 2;
    const length = lengthFrom(token & 15) + minMatch;
    if (!(back > 0 && back <= written) || written + length > output.length) throw new Error('it is broken');
    // The copied bytes may overlap: a match may repeat what it has just written.
    if (back >= length) output.copyWithin(written, written - back, written - back + length);
    else
      for (let index = 0; index < length; index++) output[written + index] = output[written + index - back] as number;
    written += length;
  }
  return written;
}
