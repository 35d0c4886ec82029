import { SandboxError } from '@mustard-sandbox/client';

const prefixes = ['', 'K', 'M', 'G', 'T'];

/** A size for people: `80 MB`, `1.5 KB`, `512 B`. It is 1024-based, with one decimal below 10 and none above. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let power = 0;
  // The rounded value is compared, so that 1,048,575 bytes are 1 MB and not 1024 KB.
  while (rounded(value) >= 1024 && power < prefixes.length - 1) {
    value /= 1024;
    power++;
  }
  return `${rounded(value)} ${prefixes[power]}B`;
}

/** Two sizes for comparison. They are exact to the byte, `1,048,577 bytes`, when they would look equal otherwise. */
export function formatBytesApart(one: number, other: number): [string, string] {
  const isClear = one === other || formatBytes(one) !== formatBytes(other);
  const show = isClear ? formatBytes : (bytes: number): string => `${bytes.toLocaleString('en-US')} bytes`;
  return [show(one), show(other)];
}

/**
 * A size that a person wrote, in bytes: `512KB`, `64mb`, `1.5 MB`, `10 KiB`, `4096`. KB and KiB are the same, 1,024
 * bytes; a number is bytes.
 *
 * @param what what the size is for; the error's message begins with it
 * @throws {SandboxError} `invalid_request` for a text that is not a size, or a size that no number holds exactly
 */
export function parseBytes(size: string | number, what = 'size'): number {
  const bytes = typeof size === 'number' ? size : readSize(size);
  if (Number.isSafeInteger(bytes) && bytes >= 0) return bytes;
  const shown = typeof size === 'string' ? `'${size}'` : String(size);
  throw new SandboxError(
    'invalid_request',
    `${what}: ${shown} is not a size. Write whole bytes, or a number with a unit: 512KB, 64MB, 1.5GB.`,
  );
}

/** `NaN` for a text that is not a size. */
function readSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?) ?(?:b|([kmgt])i?b)?$/i.exec(text.trim());
  if (match === null) return Number.NaN;
  const [, number, prefix = ''] = match;
  return Math.round(Number(number) * 1024 ** prefixes.indexOf(prefix.toUpperCase()));
}

function rounded(value: number): number {
  return value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value);
}
