import { memberSegments } from '@mustard-sandbox/paths';
import { decompress } from '../source/decompress.ts';
import type { Compression } from '../source/compression.ts';
import {
  BrokenArchive,
  linkInArchive,
  maxMembers,
  otherInArchive,
  twiceInArchive,
  type Archive,
  type Member,
} from './archive.ts';
import { piecesOf, type Bytes } from './bytes.ts';
import { ForwardInBytes, ForwardInPieces, type Forward } from './forward.ts';
import { isEnd, longNames, numberIn, recordsIn, textIn, type Records } from './tar-header.ts';

interface TarMember extends Member {
  /** Where the content of the file begins, in bytes from the start of the archive. */
  start: number;
}

const blockBytes = 512;
/** The most bytes of the records before a file. */
const maxRecordBytes = 64 * 1024;

interface TarOptions {
  /** The compression of the whole archive. If there is one, the archive is unpacked from its start for each file. */
  compression: Compression | undefined;
  /** Called with the number of bytes that are read or unpacked but not returned. */
  onPassed: (bytes: number) => void;
}

/** A tar archive in any of the formats that `tar` writes, except for sparse files. */
export class Tar implements Archive<TarMember> {
  readonly members: Map<string, TarMember>;
  readonly #bytes: Bytes;
  readonly #options: TarOptions;

  /**
   * @param known the files of the archive, if they are already known
   * @throws {BrokenArchive} when it is broken or cut off
   */
  constructor(bytes: Bytes, options: TarOptions, known?: Archive['members']) {
    this.#bytes = bytes;
    this.#options = options;
    this.members = (known as Map<string, TarMember> | undefined) ?? new Map();
    if (known !== undefined) return;
    using unpacked = options.compression === undefined ? undefined : new ForwardInPieces(this.#unpacked(true));
    this.#index(unpacked ?? new ForwardInBytes(bytes));
  }

  *read({ start, size }: TarMember): Generator<Buffer, void> {
    if (this.#options.compression === undefined) return yield* piecesOf(this.#bytes, start, start + size);
    using unpacked = new ForwardInPieces(this.#unpacked(false));
    for (let passed = 0; passed < start;) {
      const part = unpacked.some(start - passed);
      if (part === undefined) throw new BrokenArchive('the archive is cut off');
      passed += part.length;
      this.#options.onPassed(part.length);
    }
    for (let left = size; left > 0;) {
      const part = unpacked.some(left);
      if (part === undefined) throw new BrokenArchive('the archive is cut off');
      left -= part.length;
      yield part;
    }
  }

  *#unpacked(isCounted: boolean): Generator<Buffer, void> {
    const { compression, onPassed } = this.#options;
    for (const piece of decompress(compression as Compression, piecesOf(this.#bytes, 0, this.#bytes.size))) {
      if (isCounted) onPassed(piece.length);
      yield piece;
    }
  }

  #index(forward: Forward): void {
    this.#readHeaders(forward);
    // The checksum of the compression comes last.
    if (this.#options.compression !== undefined) forward.skip(Infinity);
  }

  #readHeaders(forward: Forward): void {
    let more: Records = {};
    for (let count = 0; ; count++) {
      const header = forward.take(blockBytes);
      // Some writers leave out the blocks of zeros that end it.
      if (header.length === 0 || isEnd(header)) return;
      if (header.length < blockBytes || count > 2 * maxMembers) throw new BrokenArchive('the archive is broken');
      if (this.#options.compression === undefined) this.#options.onPassed(blockBytes);
      const type = String.fromCharCode(header[156] as number);
      // The content of a sparse file is in pieces, and further headers may follow.
      if (type === 'S') throw new BrokenArchive('the archive has sparse files');
      const size = more.size ?? numberIn(header, 124, 12);
      if (type === 'x' || type === 'g' || type in longNames) {
        if (size > maxRecordBytes) throw new BrokenArchive('the archive is broken');
        const found = recordsIn(type, forward.take(size));
        // Records for all files do not describe a single file.
        if (type !== 'g') more = { ...more, ...found };
        if (!forward.skip(padding(size))) throw new BrokenArchive('the archive is cut off');
        continue;
      }
      this.#add(more.path ?? textIn(header), { type, size, start: forward.position });
      more = {};
      if (!forward.skip(holdsNothing(type) ? 0 : size + padding(size)))
        throw new BrokenArchive('the archive is cut off');
    }
  }

  #add(name: string, { type, size, start }: { type: string; size: number; start: number }): void {
    if (type === '5' || name.endsWith('/')) return;
    const key = memberSegments(name)?.join('/');
    if (key === undefined) return;
    const refusal = this.members.has(key) ? twiceInArchive : refusalOf(type);
    this.members.set(key, { size, start, ...(refusal !== undefined && { refusal }) });
    if (this.members.size > maxMembers) throw new BrokenArchive(`the archive has more than ${maxMembers} files`);
  }
}

/** Whether an entry has no content. Links, devices and folders have none, whatever size their headers have. */
function holdsNothing(type: string): boolean {
  return /[1-6]/.test(type);
}

function refusalOf(type: string): string | undefined {
  if (type === '1' || type === '2') return linkInArchive;
  return type === '0' || type === '\0' || type === '7' ? undefined : otherInArchive;
}

function padding(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}
