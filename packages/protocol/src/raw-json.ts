/**
 * Stands for the bytes in the text that `JSON.stringify` writes. The first placeholder in a message is ours, even if
 * the texts of a script hold it too, because only the fields of the envelope stand before the value of a run.
 */
const placeholder = '\u0001raw JSON\u0001';
const quoted = Buffer.from(JSON.stringify(placeholder));

let written: RawJson | undefined;

/** JSON that is sent as bytes, so a value of a script is not parsed on its way out. A message may hold one. */
export class RawJson {
  /** Valid JSON in UTF-8, cut anywhere. A part may be a view of memory that is kept until the message is sent. */
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

  /** The value, for a reader in this process. */
  parse(): unknown {
    return JSON.parse(this.bytes.toString());
  }
}

const quote = Buffer.from('"');
/** The escape that JSON writes for each byte that cannot stand in a text unescaped. */
const escapes = Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === 0x22 || byte === 0x5c
    ? Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1))
    : undefined,
);
/** By how much each escape is longer than the byte. */
const longer = Uint8Array.from(escapes, (escape) => (escape === undefined ? 0 : escape.length - 1));

/**
 * A text in the form that it has between the quotation marks of JSON. It is made from bytes: V8 would need a string
 * first and return another string, which takes twice as long and three times the memory.
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

/** A message as text, or as a list of bytes if something in it is raw. */
export function stringifyMessage(message: object): string | Buffer[] {
  written = undefined;
  const text = JSON.stringify(message);
  const raw = takeWritten();
  if (raw === undefined) return text;
  const around = Buffer.from(text);
  const at = around.indexOf(quoted);
  return [around.subarray(0, at), ...raw.parts, around.subarray(at + quoted.length)];
}

/** The number of bytes of a message. */
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
