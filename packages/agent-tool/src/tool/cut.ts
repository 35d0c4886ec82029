import { SandboxError } from '@mustard-sandbox/client';
/** As many whole characters from the start of UTF-8 `text` as fit into `maxBytes`. */
export function headOf(text: Buffer, maxBytes: number): Buffer {
  if (text.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && isContinuation(text[end])) end--;
  return text.subarray(0, end);
}

/** At most the last `maxBytes` bytes of a text. They begin with a whole character. */
export function tailOf(text: Buffer, maxBytes: number): Buffer {
  if (text.length <= maxBytes) return text;
  let start = text.length - maxBytes;
  while (start < text.length && isContinuation(text[start])) start++;
  return text.subarray(start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** The most bytes of one text in a failure. Our own messages are far shorter, but a script can throw megabytes. */
const maxTextBytes = 8 * 1024;

/** A copy of the failure with its texts cut, because they go to the model and into the storage of the chat. */
export function bounded({ code, message, details, cause }: SandboxError): SandboxError {
  const entries = Object.entries(details).map(([key, value]) => [key, typeof value === 'string' ? cut(value) : value]);
  return new SandboxError(code, cut(message), { details: Object.fromEntries(entries), cause });
}

function cut(text: string): string {
  // UTF-8 takes at most three bytes for a UTF-16 unit, so a short text need not be encoded.
  if (text.length * 3 <= maxTextBytes) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= maxTextBytes) return text;
  const half = maxTextBytes / 2 - 32;
  const [head, tail] = [headOf(bytes, half), tailOf(bytes, half)];
  return `${head.toString()} … [${bytes.length - head.length - tail.length} bytes] … ${tail.toString()}`;
}
