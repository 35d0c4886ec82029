import { Transform, type TransformCallback } from 'node:stream';

/** How much of a line that is too long is kept: enough for its id, which clients write near the start. */
const headBytes = 4096;

/**
 * Splits a stream into lines, in linear time, and passes each to `onLine`. The lines that `onLine` returns are passed on.
 * A line of more than `maxBytes` is left out, and its start is passed to `onTooLong`.
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
    // The rest of a line that is too long is not kept.
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
