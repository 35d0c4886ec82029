import { formatBytes } from '../sizes.ts';
import { maxPartBytes, readStart, type Start } from './content.ts';
import { badAttachment } from './failure.ts';
import { isImage, mayBeText } from './media-type.ts';
import type { UserPart } from './parts.ts';
import type { ResolvedAttachment } from './resolve-attachments.ts';
import { decodeText, inlineText, truncationMark } from './text.ts';

/** As `file_stats` looks at: a cut text is judged by no less, or a few bytes of any binary could pass for one. */
const probedBytes = 8 * 1024;

/** A part of a message, and whether a text was cut for it. */
interface InlinedPart {
  part: UserPart;
  truncated: boolean;
}

/**
 * What a model without tools gets of an attachment: a text inlined, an image as an image, anything else as a file.
 *
 * @param truncateTo bytes that are left of a text, and no more is read of it; none: all of it
 * @throws {SandboxError} `invalid_request` for what disappeared, what is too big for a message, and what is declared
 *   as text and is none
 */
export async function inlinePart(attachment: ResolvedAttachment, truncateTo?: number): Promise<InlinedPart> {
  const { name, content, size, mediaType } = attachment;
  const textPossible = mayBeText(mediaType);
  const cut = textPossible && truncateTo !== undefined && size > truncateTo;
  const start = cut ? await readStart(name, content, Math.max(truncateTo, probedBytes)) : await readAll(attachment);
  const text = textPossible ? decodeText(start, cut ? truncateTo : undefined) : undefined;
  if (text !== undefined) {
    const body = cut ? `${text}${truncationMark(size, truncateTo)}` : text;
    return { part: { type: 'text', text: inlineText(name, size, body) }, truncated: cut };
  }
  const { bytes } = cut ? await readAll(attachment) : start;
  return { part: binaryPart(name, bytes, mediaType), truncated: false };
}

/** @throws {SandboxError} `invalid_request` when it is more than a message can hold */
async function readAll({ name, content, size }: ResolvedAttachment): Promise<Start> {
  if (size <= maxPartBytes) return await readStart(name, content, size);
  const most = `${formatBytes(size)} is too big for a message, which holds ${formatBytes(maxPartBytes)} of one file`;
  throw badAttachment(name, `${most}; truncate it, or store it for scripts with the mode 'local-agent'`);
}

function binaryPart(name: string, bytes: Uint8Array, mediaType = 'application/octet-stream'): UserPart {
  if (isImage(mediaType)) return { type: 'image', image: bytes, mediaType };
  if (!mediaType.startsWith('text/')) return { type: 'file', data: bytes, mediaType, filename: name };
  const rule = 'but its bytes are neither UTF-8 nor UTF-16 with a byte order mark';
  throw badAttachment(name, `declared as ${mediaType}, ${rule}; leave mediaType out to attach it as a binary file`);
}
