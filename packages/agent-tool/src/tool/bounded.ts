import { SandboxError } from '@mustard-sandbox/client';
import { headOf, tailOf } from './cut.ts';

/** Bytes of one text in a failure. Far more than any message of ours; a script can throw megabytes. */
const maxTextBytes = 8 * 1024;

/** The same failure, with its message and every text in its details cut to what a model and a chat's storage can bear. */
export function bounded({ code, message, details, cause }: SandboxError): SandboxError {
  const entries = Object.entries(details).map(([key, value]) => [key, typeof value === 'string' ? cut(value) : value]);
  return new SandboxError(code, cut(message), { details: Object.fromEntries(entries), cause });
}

function cut(text: string): string {
  // A character has at most three bytes for each UTF-16 unit; so a short one need not be encoded.
  if (text.length * 3 <= maxTextBytes) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= maxTextBytes) return text;
  const half = maxTextBytes / 2 - 32;
  const [head, tail] = [headOf(bytes, half), tailOf(bytes, half)];
  return `${head.toString()} … [${bytes.length - head.length - tail.length} bytes] … ${tail.toString()}`;
}
