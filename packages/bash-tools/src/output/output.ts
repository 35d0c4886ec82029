import { formatBytes } from '@mustard-sandbox/agent-tool';
import { describeOutput, type Shown } from './text.ts';

export interface Sink {
  /** Throws the error of the system, such as for a full disk. */
  write(bytes: Buffer): void;
  close(): Promise<void>;
}

export type StreamName = 'stdout' | 'stderr';

interface StreamOptions {
  maxChars: number;
  /** Where the whole output goes when it is too long for the model, and its name for the model. */
  keep: () => { path: string; sink: Sink };
}

/**
 * A character has at most three bytes for each UTF-16 unit. This is twice that, because escape sequences are removed.
 */
const bytesForChar = 6;

/**
 * The output of a command to one stream. Its beginning and its end are in memory, and everything is in a file as soon
 * as there is more.
 */
class StreamOutput {
  bytes = 0;
  readonly #options: StreamOptions;
  readonly #memoryBytes: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #kept: { path: string; sink: Sink } | undefined;
  #problem: string | undefined;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#memoryBytes = options.maxChars * bytesForChar;
  }

  write(chunk: Buffer): void {
    this.bytes += chunk.length;
    const room = this.#memoryBytes - this.#headBytes;
    const [first, rest] = [chunk.subarray(0, room), chunk.subarray(room)];
    if (first.length > 0) {
      this.#head.push(first);
      this.#headBytes += first.length;
    }
    if (this.bytes > this.#memoryBytes) this.#keep(rest);
  }

  /** What there is so far. */
  get soFar(): string {
    return this.#described().with({ isLive: true }).text;
  }

  async end(): Promise<Shown> {
    const shown = this.#described();
    // An output of few bytes may still be long, because escapes stand for characters that do not print.
    if (shown.isWhole || this.bytes === 0) return shown.with({});
    if (this.#kept === undefined) this.#keep(Buffer.alloc(0));
    await this.#kept?.sink.close().catch((error: unknown) => this.#failed(error));
    return shown.with({ path: this.#problem === undefined ? this.#kept?.path : undefined, problem: this.#problem });
  }

  #described(): ReturnType<typeof describeOutput> {
    const [head, tail] = [Buffer.concat(this.#head), Buffer.concat(this.#tail)];
    return describeOutput({ head, tail, bytes: this.bytes, maxChars: this.#options.maxChars });
  }

  #keep(rest: Buffer): void {
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    while (this.#tailBytes - (this.#tail[0]?.length ?? 0) >= this.#memoryBytes) {
      this.#tailBytes -= this.#tail.shift()?.length ?? 0;
    }
    if (this.#problem !== undefined) return;
    try {
      if (this.#kept === undefined) {
        this.#kept = this.#options.keep();
        for (const chunk of this.#head) this.#kept.sink.write(chunk);
      }
      this.#kept.sink.write(rest);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** A full disk must not cost the result. */
  #failed(error: unknown): void {
    this.#problem = (error as NodeJS.ErrnoException).code ?? 'an error';
  }
}

interface OutputOptions {
  maxStdoutChars: number;
  maxStderrChars: number;
  /** The most bytes of both streams together. */
  maxBytes: number;
  keep: (stream: StreamName) => { path: string; sink: Sink };
}

/** The output of one command. */
export class Output {
  readonly #options: OutputOptions;
  readonly #streams: Record<StreamName, StreamOutput>;
  #isFlooded = false;
  #onFlood: ((why: string) => void) | undefined;

  constructor(options: OutputOptions) {
    this.#options = options;
    const { maxStdoutChars, maxStderrChars, keep } = options;
    this.#streams = {
      stdout: new StreamOutput({ maxChars: maxStdoutChars, keep: () => keep('stdout') }),
      stderr: new StreamOutput({ maxChars: maxStderrChars, keep: () => keep('stderr') }),
    };
  }

  get stdoutBytes(): number {
    return this.#streams.stdout.bytes;
  }

  get stderrBytes(): number {
    return this.#streams.stderr.bytes;
  }

  /** Calls `listener` once, with the limit in words, when there is more than `maxBytes`. */
  onFlood(listener: (why: string) => void): void {
    this.#onFlood = listener;
  }

  write(stream: StreamName, chunk: Buffer): void {
    // Output between the kill and the end is of no use.
    if (this.#isFlooded) return;
    this.#streams[stream].write(chunk);
    if (this.stdoutBytes + this.stderrBytes <= this.#options.maxBytes) return;
    this.#isFlooded = true;
    this.#onFlood?.(`it wrote more than ${formatBytes(this.#options.maxBytes)} (outputBytes)`);
  }

  /** What there is so far, cut as in the end. */
  get soFar(): Record<StreamName, string> {
    const { stdout, stderr } = this.#streams;
    return { stdout: stdout.soFar, stderr: stderr.soFar };
  }

  async end(): Promise<{ stdout: Shown; stderr: Shown }> {
    const { stdout, stderr } = this.#streams;
    return { stdout: await stdout.end(), stderr: await stderr.end() };
  }
}
