/**
 * Stands for the bytes in what `JSON.stringify` writes. The first one in a message is ours, whatever a script has in its
 * texts: before the value of a run stand only the fields of the envelope.
 */
const placeholder = '\u0001raw JSON\u0001';
const quoted = Buffer.from(JSON.stringify(placeholder));

let written: RawJson | undefined;

/** JSON that is sent as the bytes that it is: a value of a script is not parsed on its way out. One in a message. */
export class RawJson {
  /** Valid JSON in UTF-8, cut in any way. It may be a view of a memory that is kept until the message is sent. */
  readonly parts: readonly Buffer[];

  constructor(...parts: Buffer[]) {
    this.parts = parts;
  }

  /** @param text valid UTF-8 */
  static ofText(text: Buffer): RawJson {
    return new RawJson(quote, escaped(text), quote);
  }

  get length(): number {
    return this.parts.reduce((sum, part) => sum + part.length, 0);
  }

  get bytes(): Buffer {
    return Buffer.concat(this.parts);
  }

  toJSON(): string {
    return standIn(this);
  }

  /** The value, for a reader of this process. */
  parse(): unknown {
    return JSON.parse(this.bytes.toString());
  }
}

const quote = Buffer.from('"');
/** What JSON writes for each byte that cannot stand in a text as it is. */
const escapes = Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === 0x22 || byte === 0x5c
    ? Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1))
    : undefined,
);
/** By how much that is longer. */
const longer = Uint8Array.from(escapes, (escape) => (escape === undefined ? 0 : escape.length - 1));

/**
 * A text as it stands between the quotation marks of JSON. It is made of bytes: V8 would first need it as a string, and
 * gives another one, which takes twice as long and three times the memory.
 */
function escaped(text: Buffer): Buffer {
  let length = text.length;
  for (let index = 0; index < text.length; index++) length += longer[text[index]!]!;
  if (length === text.length) return text;
  const written = Buffer.allocUnsafe(length);
  let at = 0;
  for (let index = 0; index < text.length; index++) {
    const byte = text[index]!;
    const escape = escapes[byte];
    if (escape === undefined) written[at++] = byte;
    else for (const unit of escape) written[at++] = unit;
  }
  return written;
}

/** A message as text, or as bytes, one after another, where something in it is raw. */
export function stringifyMessage(message: object): string | Buffer[] {
  written = undefined;
  const text = JSON.stringify(message);
  const raw = takeWritten();
  if (raw === undefined) return text;
  const around = Buffer.from(text);
  const at = around.indexOf(quoted);
  return [around.subarray(0, at), ...raw.parts, around.subarray(at + quoted.length)];
}

/** The bytes that a message takes. */
export function bytesOfMessage(written: ReturnType<typeof stringifyMessage>): number {
  if (typeof written === 'string') return Buffer.byteLength(written);
  return written.reduce((sum, part) => sum + part.length, 0);
}

function standIn(raw: RawJson): string {
  written = raw;
  return placeholder;
}

function takeWritten(): RawJson | undefined {
  const raw = written;
  written = undefined;
  return raw;
}
