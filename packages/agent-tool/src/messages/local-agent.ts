import { oneLine } from '@mustard-sandbox/protocol';
import type { StoredAttachment } from '../attachments/attachment.ts';
import { formatBytes } from '../sizes.ts';
import { maxPartBytes, readStart, throwIfCancelled, type Content } from './content.ts';
import { isImage } from './media-type.ts';
import type { AttachmentSink, UserPart } from './options.ts';
import type { ResolvedAttachment } from './resolve-attachments.ts';

interface Stored {
  parts: UserPart[];
  /** Each attachment once, in the order given. */
  stored: StoredAttachment[];
}

/**
 * Stores every attachment and names it in a block. Images are also parts, before the block.
 *
 * @throws {SandboxError} `cancelled`; the error of the store. What was stored before that stays there
 */
export async function storeParts(
  attachments: readonly ResolvedAttachment[],
  store: AttachmentSink,
  scripting: boolean,
  signal: AbortSignal | undefined,
): Promise<Stored> {
  const images: UserPart[] = [];
  // The key is the name, because a store gives equal content the same name.
  const stored = new Map<string, StoredAttachment>();
  for (const attachment of attachments) {
    const { name, content, size, mediaType } = attachment;
    throwIfCancelled(signal);
    const file = await store.store(sourceOf(content), lastPart(name), mediaType, { ...(signal && { signal }) });
    if (stored.has(file.name)) continue;
    stored.set(file.name, file);
    if (!isInlined(attachment)) continue;
    const { bytes } = await readStart(name, { path: file.path }, size);
    images.push({ type: 'image', image: bytes, mediaType: attachment.mediaType });
  }
  const files = [...stored.values()];
  const block: UserPart[] = files.length === 0 ? [] : [{ type: 'text', text: attachmentBlock(files, scripting) }];
  return { parts: [...images, ...block], stored: files };
}

/** Whether it also becomes a part of the message. An image does, unless it is bigger than any provider accepts. */
export function isInlined(attachment: ResolvedAttachment): attachment is ResolvedAttachment & { mediaType: string } {
  const { mediaType, size } = attachment;
  return mediaType !== undefined && isImage(mediaType) && size <= maxPartBytes;
}

function sourceOf(content: Content): string | AsyncIterable<Uint8Array> {
  return 'path' in content ? content.path : once(content.bytes);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Names have no folders in the store. Two names with the same last part get different names there. */
function lastPart(name: string): string {
  return name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1) || name;
}

/**
 * The block that tells a model of its attachments, one line each.
 *
 * @param scripting whether the agent has `execute_sandbox_script`
 */
export function attachmentBlock(stored: readonly StoredAttachment[], scripting: boolean): string {
  const how = scripting
    ? 'use attachments:<name> with read_file / execute_sandbox_script'
    : 'sandbox scripting unavailable';
  const lines = stored.map(
    ({ name, size, mediaType }) => `- attachments:${oneLine(name)} (${formatBytes(size)}, ${oneLine(mediaType)})`,
  );
  return [`Attachments available on disk (${how}):`, ...lines].join('\n');
}
