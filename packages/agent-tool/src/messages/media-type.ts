import { badAttachment } from './content.ts';

/** How many bytes of a file show its type. */
export const signatureBytes = 32;

const ascii = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.subarray(start, end)).toString('latin1');

/** Types that the first bytes show: the images that the AI SDK itself knows, and PDF, which can look like text. */
const signatures: Record<string, (bytes: Uint8Array) => boolean> = {
  'image/png': (bytes) => ascii(bytes, 0, 8) === '\x89PNG\r\n\x1a\n',
  'image/jpeg': (bytes) => ascii(bytes, 0, 3) === '\xff\xd8\xff',
  'image/gif': (bytes) => /^GIF8[79]a/.test(ascii(bytes, 0, 6)),
  'image/webp': (bytes) => ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP',
  // The reserved zeros are checked too, because a text may begin with "BM".
  'image/bmp': (bytes) => ascii(bytes, 0, 2) === 'BM' && ascii(bytes, 6, 10) === '\0\0\0\0',
  'image/tiff': (bytes) => ['II*\0', 'MM\0*'].includes(ascii(bytes, 0, 4)),
  'image/avif': (bytes) => /^ftypavi[fs]$/.test(ascii(bytes, 4, 12)),
  'image/heic': (bytes) => /^ftyp(hei[cxms]|hev[cxms]|mif1|msf1)$/.test(ascii(bytes, 4, 12)),
  'application/pdf': (bytes) => ascii(bytes, 0, 5) === '%PDF-',
};

const otherNames: Record<string, string> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-ms-bmp': 'image/bmp',
  'image/heif': 'image/heic',
};

/**
 * The type that is certain before the whole content is read: the one that the first bytes show, or else the declared
 * one; `undefined` when it is still open whether the content is text.
 *
 * @throws {SandboxError} `invalid_request` when the bytes show another type than the host declared, because a provider
 *   would refuse the whole request for it
 */
export function certainMediaType(name: string, declared: string | undefined, start: Uint8Array): string | undefined {
  const found = Object.keys(signatures).find((type) => signatures[type]?.(start));
  if (declared === undefined) return found;
  const type = normalised(declared);
  if (type === 'application/octet-stream') return found;
  if (found === type || (found === undefined && !Object.hasOwn(signatures, type))) return type;
  const shown = found === undefined ? 'something else' : found;
  throw badAttachment(
    name,
    `declared as ${declared}, but its bytes are ${shown}; leave mediaType out to go by the bytes`,
  );
}

/** Whether models see it as an image. SVG is text to them. */
export function isImage(mediaType: string): boolean {
  return mediaType.startsWith('image/') && mediaType !== 'image/svg+xml';
}

/**
 * Whether the content may be text. Then its bytes decide, because browsers declare TypeScript, `.ts`, as `video/mp2t`.
 */
export function mayBeText(mediaType: string | undefined): boolean {
  return mediaType === undefined || !(isImage(mediaType) || mediaType === 'application/pdf');
}

function normalised(mediaType: string): string {
  const [essence = ''] = mediaType.toLowerCase().split(';');
  return otherNames[essence.trim()] ?? essence.trim();
}
