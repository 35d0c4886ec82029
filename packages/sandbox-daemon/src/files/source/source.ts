import { SandboxError } from '@mustard-sandbox/protocol';
import { openContent, type Content } from '../archives/content.ts';
import { isArchive, refusedKind } from '../binary-kinds.ts';
import type { BuiltinCall } from '../call.ts';
import { spendInAll } from '../budget.ts';
import type { BuiltinContext } from '../context.ts';
import { lookAround } from '../text-range.ts';
import { compressionOf, type Compression } from './compression.ts';
import { decompress } from './decompress.ts';
import { decoderFor, encodingOf, markLength, probedBytes, type Decoder, type Encoding } from './encodings.ts';

/** How many bytes are read from a file at a time. A reader holds only a few of these chunks. */
const chunkBytes = 512 * 1024;

/** The format of a file's content. */
export interface Format {
  compression: Compression | undefined;
  /** `undefined` for a file that is not text. */
  encoding: Encoding | undefined;
}

/** The text of one file, whatever its compression and encoding, read from its start to its end. */
export interface Source extends Disposable {
  readonly content: Content;
  /** Whether the text is the bytes of a file on the disk, and any part of it can be read by itself. */
  readonly isPlain: boolean;
  /** Reads as much as it needs to tell. */
  format(): Format;
  /**
   * The next bytes: text in UTF-8, or the bytes of a file that is not text; `undefined` at the end. The next call may
   * overwrite them. Each byte counts towards what the run may read in all.
   *
   * @throws {SandboxError} `limit_exceeded`, `script_error` for broken compressed data and for a known kind of file
   * that is
   *   not text, `timeout`, `cancelled`
   */
  next(): Buffer | undefined;
  /** How many bytes of a byte order mark were left out at the start. A position in the file is that much higher. */
  readonly markBytes: number;
}

/**
 * Opens the text that a script's path names, by the one guard; it may be in an archive. The caller disposes of it.
 *
 * @param encoding the encoding to decode, instead of the recognised one
 * @param startAt for UTF-8 that is not compressed: where to begin, in bytes
 * @throws {SandboxError} as `openContent`
 */
export function openSource(
  context: BuiltinContext,
  path: unknown,
  call: BuiltinCall,
  encoding?: Encoding,
  startAt = 0,
): Source {
  return new TextSource(context, openContent(context, path, call), call, encoding, startAt);
}

class TextSource implements Source {
  readonly content: Content;
  markBytes = 0;
  readonly #context: BuiltinContext;
  readonly #call: BuiltinCall;
  readonly #asked: Encoding | undefined;
  readonly #buffer: Buffer;
  #position: number;
  #format: Format | undefined;
  #decoder: Decoder | undefined;
  #pieces: Generator<Buffer, void> | undefined;
  /** Bytes that were read to recognise the format. They are handed out first. */
  #ahead: Buffer[] = [];
  #isOver = false;

  constructor(
    context: BuiltinContext,
    content: Content,
    call: BuiltinCall,
    asked: Encoding | undefined,
    startAt: number,
  ) {
    this.#position = startAt;
    if (startAt > 0) this.#format = { compression: undefined, encoding: 'utf8' };
    this.#context = context;
    this.content = content;
    this.#call = call;
    this.#asked = asked;
    // A small file takes little, and one that grows meanwhile is read in small chunks.
    this.#buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(4096, content.size + 1)));
  }

  format(): Format {
    return this.#format ?? this.#begin(this.#readChunk());
  }

  get isPlain(): boolean {
    const { compression, encoding } = this.format();
    // What is no text is read as its bytes.
    return !this.content.isMember && compression === undefined && (encoding ?? 'utf8') === 'utf8';
  }

  next(): Buffer | undefined {
    const { compression } = this.format();
    if (this.#isOver) return undefined;
    const ahead = this.#ahead.shift();
    if (ahead !== undefined) return this.#decoded(ahead);
    return this.#decoded(compression === undefined ? this.#readChunk() : this.#nextPiece(compression));
  }

  [Symbol.dispose](): void {
    this.#pieces?.return();
    this.content[Symbol.dispose]();
  }

  /** Recognises the format, and keeps the bytes that this took. */
  #begin(start: Buffer | undefined): Format {
    const compression = start === undefined ? undefined : compressionOf(start);
    if (start === undefined || compression === undefined) {
      if (start !== undefined) {
        spendInAll(this.#context.budget, start.length, this.#call);
        this.#ahead.push(start);
      }
      return this.#tell(undefined, start ?? Buffer.alloc(0));
    }
    return this.#beginCompressed(compression, start);
  }

  #beginCompressed(compression: Compression, start: Buffer): Format {
    this.#pieces = decompress(compression, this.#compressed(start));
    let length = 0;
    while (length < probedBytes + lookAround) {
      const piece = this.#nextPiece(compression);
      if (piece === undefined) break;
      this.#ahead.push(Buffer.from(piece));
      length += piece.length;
    }
    const read = Buffer.concat(this.#ahead);
    this.#ahead = [read];
    return this.#tell(compression, read);
  }

  *#compressed(start: Buffer): Generator<Buffer> {
    for (let chunk: Buffer | undefined = start; chunk !== undefined; chunk = this.#readChunk()) {
      // Much compressed data may hold no text.
      this.#context.pace.check();
      yield chunk;
    }
  }

  #tell(compression: Compression | undefined, start: Buffer): Format {
    const found = encodingOf(start.subarray(0, probedBytes + lookAround));
    // A caller that names an encoding wants the bytes unchanged.
    if (this.#asked === undefined && (found === undefined || isArchive(start))) {
      const refused = refusedKind(start, this.#call, { compression });
      if (refused !== undefined) throw refused;
    }
    const encoding = this.#asked ?? found;
    if (encoding !== undefined && encoding !== 'utf8') this.#decoder = decoderFor(encoding, this.#asked === undefined);
    this.markBytes = encoding === undefined ? 0 : markLength(start, encoding);
    const first = this.#ahead[0];
    if (this.markBytes > 0 && first !== undefined) this.#ahead[0] = first.subarray(this.markBytes);
    this.#format = { compression, encoding };
    return this.#format;
  }

  #decoded(bytes: Buffer | undefined): Buffer | undefined {
    if (bytes === undefined) this.#isOver = true;
    if (this.#decoder === undefined) return bytes;
    const text = this.#decoder.decode(bytes ?? Buffer.alloc(0), bytes === undefined);
    return bytes === undefined && text.length === 0 ? undefined : text;
  }

  #readChunk(): Buffer | undefined {
    // A caller that only asks for the format, or for the end of the file, should not pay for more.
    const isFirst = this.#format === undefined && this.#pieces === undefined && this.#position === 0;
    const most = isFirst ? Math.min(probedBytes + lookAround, this.#buffer.length) : this.#buffer.length;
    const count = this.content.read(this.#buffer.subarray(0, most), this.#position);
    this.#position += count;
    if (count === 0) return undefined;
    this.#context.budget.reached = { path: this.#call.path, position: this.#position, size: this.content.size };
    const bytes = this.#buffer.subarray(0, count);
    // A compressed file counts by its decompressed bytes.
    if (this.#format !== undefined && this.#pieces === undefined) {
      spendInAll(this.#context.budget, count, this.#call);
    }
    return bytes;
  }

  #nextPiece(compression: Compression): Buffer | undefined {
    let piece: Buffer | void;
    try {
      piece = this.#pieces?.next().value;
    } catch (error) {
      throw this.#explain(error, compression);
    }
    if (piece === undefined) return undefined;
    spendInAll(this.#context.budget, piece.length, this.#call);
    return piece;
  }

  /** An error that neither this program nor the file system threw comes from the decompressor. */
  #explain(error: unknown, compression: Compression): unknown {
    const isOurs = error instanceof SandboxError || (error instanceof Error && 'syscall' in error);
    if (isOurs) return error;
    const why = `${this.#call.shown} cannot be read: its ${compression} data is broken or cut off.`;
    return this.#call.failed('NotReadableError', why);
  }
}
