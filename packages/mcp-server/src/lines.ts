import { Transform, type TransformCallback } from 'node:stream';

/**
 * How many bytes at both ends of a line that is too long are kept. That is enough for its id, which clients write first
 * or last.
 */
const edgeBytes = 4096;

/**
 * Splits a stream into lines, in linear time, and passes each to `onLine`. The lines that `onLine` returns are passed
 * on. A line of more than `maxBytes` is left out, and its start and its end are passed to `onTooLong`.
 */
export class Lines extends Transform {
  onLine: (line: Buffer) => readonly string[] = (line) => [line.toString()];
  onTooLong: (start: string, end: string) => void = () => {};
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
    this.#parts.push(part);
    if (this.#length <= this.#maxBytes) return;
    // The rest of a line that is too long is not kept. The line is longer than both edges, so these do not overlap.
    const kept = Buffer.concat(this.#parts);
    this.#parts = [Buffer.from(kept.subarray(0, edgeBytes)), Buffer.from(kept.subarray(-edgeBytes))];
  }

  #endLine(): void {
    if (this.#length > this.#maxBytes) {
      const [start, end] = this.#parts.map((part) => part.toString());
      this.onTooLong(start as string, end as string);
    } else for (const line of this.onLine(Buffer.concat(this.#parts))) this.push(`${line}\n`);
    this.#parts = [];
    this.#length = 0;
  }
}
