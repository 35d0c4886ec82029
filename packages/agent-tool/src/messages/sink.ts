import type { Attachment } from '../attachments/attachment.ts';

/** A file in the media folder, under the name that scripts read it by. */
export interface StoredAttachment extends Attachment {
  mimeType: string;
  /** Of the content, in hex. */
  sha256: string;
  /** What it was called before its name was made safe and unique. */
  originalName: string;
  /** ISO 8601. */
  storedAt: string;
}

/** Where files go that a message names instead of holding them; `AttachmentStore` is one. */
export interface AttachmentSink {
  /** @param source a path, or the bytes */
  store(
    source: string | AsyncIterable<Uint8Array>,
    originalName: string,
    mimeType?: string,
    options?: { signal?: AbortSignal },
  ): Promise<StoredAttachment>;
}
