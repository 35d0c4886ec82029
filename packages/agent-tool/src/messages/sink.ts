import type { StoredAttachment } from '../attachments/attachment.ts';

/** Where files go that a message names instead of holding them; `AttachmentStore` is one. */
export interface AttachmentSink {
  /** @param source a path, or the bytes */
  store(
    source: string | AsyncIterable<Uint8Array>,
    originalName: string,
    mediaType?: string,
    options?: { signal?: AbortSignal },
  ): Promise<StoredAttachment>;
}
