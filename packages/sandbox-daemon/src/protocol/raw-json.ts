/**
 * Stands for the bytes in what `JSON.stringify` writes. The first one in a message is ours, whatever a script has in its
 * texts: before the value of a run stand only the fields of the envelope.
 */
const placeholder = '\u0001raw JSON\u0001';
const quoted = Buffer.from(JSON.stringify(placeholder));

let written: Buffer | undefined;

/** JSON that is sent as the bytes that it is: a value of a script is not parsed on its way out. One in a message. */
export class RawJson {
  /** Valid JSON in UTF-8. */
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  toJSON(): string {
    written = this.bytes;
    return placeholder;
  }

  /** The value, for a reader of this process. */
  parse(): unknown {
    return JSON.parse(this.bytes.toString());
  }
}

/** A message as the bytes of its JSON, or as text where nothing in it is raw. */
export function stringifyMessage(message: object): string | Buffer {
  written = undefined;
  const text = JSON.stringify(message);
  const raw = takeWritten();
  if (raw === undefined) return text;
  const around = Buffer.from(text);
  const at = around.indexOf(quoted);
  return Buffer.concat([around.subarray(0, at), raw, around.subarray(at + quoted.length)]);
}

function takeWritten(): Buffer | undefined {
  const raw = written;
  written = undefined;
  return raw;
}
