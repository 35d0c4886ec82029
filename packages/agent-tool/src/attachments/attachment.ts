/** A file that scripts read as `attachments:<name>`. */
export interface Attachment {
  name: string;
  /** Absolute. */
  path: string;
  /** Bytes. */
  size: number;
  mimeType?: string;
}

/** Where a tool finds attachments. `AttachmentStore` is one. */
export interface AttachmentSource {
  list(): Promise<readonly Attachment[]>;
}
