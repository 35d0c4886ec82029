import { bytesAt, type Bytes } from './bytes.ts';

/** Bytes that can only be read forwards. */
export interface Forward {
  /** The position of the next byte. */
  readonly position: number;
  /** The next bytes, or as many as there are. */
  take(count: number): Buffer;
  /** Skips bytes. @returns false if there are not so many */
  skip(count: number): boolean;
}

/** Reads bytes forwards and skips without reading. */
export class ForwardInBytes implements Forward {
  position = 0;
  readonly #bytes: Bytes;

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
  }

  take(count: number): Buffer {
    const bytes = bytesAt(this.#bytes, this.position, this.position + count);
    this.position += bytes.length;
    return bytes;
  }

  skip(count: number): boolean {
    this.position += count;
    return this.position <= this.#bytes.size;
  }
}

/** Reads pieces forwards that come one after the other. */
export class ForwardInPieces implements Forward, Disposable {
  position = 0;
  readonly #pieces: Generator<Buffer, void>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(pieces: Generator<Buffer, void>) {
    this.#pieces = pieces;
  }

  take(count: number): Buffer {
    const parts: Buffer[] = [];
    for (let missing = count; missing > 0;) {
      const part = this.some(missing);
      if (part === undefined) break;
      // The part is copied, because the next piece overwrites it.
      parts.push(Buffer.from(part));
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }

  skip(count: number): boolean {
    for (let missing = count; missing > 0;) {
      const part = this.some(missing);
      if (part === undefined) return false;
      missing -= part.length;
    }
    return true;
  }

  /** At least one and at most `most` bytes; `undefined` at the end. The next call may overwrite them. */
  some(most: number): Buffer | undefined {
    while (this.#rest.length === 0) {
      const { value } = this.#pieces.next();
      if (value === undefined) return undefined;
      this.#rest = value;
    }
    const part = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(part.length);
    this.position += part.length;
    return part;
  }

  [Symbol.dispose](): void {
    this.#pieces.return();
  }
}
