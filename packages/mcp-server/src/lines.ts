import { Transform, type TransformCallback } from 'node:stream';

/** Of a line that is too long: enough to hold its id, which clients write near the start. */
const headBytes = 4096;

/**
 * Takes a stream apart into lines, in time that grows with its length, and hands each to `onLine`; what that gives back
 * goes on. A line of more than `maxBytes` is left out, and its beginning handed to `onTooLong`.
 */
export class Lines extends Transform {
  onLine: (line: string) => readonly string[] = (line) => [line];
  onTooLong: (head: string) => void = () => {};
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    super();
    this.#maxBytes = maxBytes;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#append(chunk.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    this.#append(chunk.subarray(start));
    done();
  }

  #append(part: Buffer): void {
    this.#length += part.length;
    if (this.#length <= this.#maxBytes) this.#parts.push(part);
    // What is too long need not be kept.
    else this.#parts = [Buffer.from(Buffer.concat([...this.#parts, part]).subarray(0, headBytes))];
  }

  #endLine(): void {
    const text = Buffer.concat(this.#parts).toString();
    if (this.#length > this.#maxBytes) this.onTooLong(text);
    else for (const line of this.onLine(text)) this.push(`${line}\n`);
    this.#parts = [];
    this.#length = 0;
  }
}
