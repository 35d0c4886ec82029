/** A file that scripts read as `attachments:<name>`. */
export interface Attachment {
  /** Without `/` and control characters, and unique in its chat. */
  name: string;
  /** Absolute. */
  path: string;
  /** Bytes. */
  size: number;
  /** Such as `text/plain`, in lower case and without parameters. */
  mediaType?: string;
  /** Set for a file that no person chose by this path: the file is refused when its path has become a link. */
  noLinks?: boolean | undefined;
}

/** Where a tool finds the attachments of its next call. `AttachmentStore` is one. */
export interface AttachmentSource {
  list(): Promise<readonly Attachment[]>;
  /**
   * The folder of the source, absolute. Outputs of scripts go there. Scripts cannot reach it by a path, and links in it
   * are refused.
   */
  readonly directory?: string | undefined;
  /** A folder above `directory`, absolute. Between the two there may be no link. Default: the parent of `directory`. */
  readonly appPath?: string | undefined;
  /** The chat whose attachments and outputs it lists. */
  readonly chat?: string | undefined;
}

/** A file that an `AttachmentStore` took in. */
export interface StoredAttachment extends Attachment {
  kind: 'file';
  mediaType: string;
  /** The hash of the content, in hex. The file on disk is named after it. */
  sha256: string;
  /** The name that was given to `store`. */
  originalName: string;
  /** The chat of the store that took it in. */
  chat?: string | undefined;
  /** ISO 8601. When it was stored last: storing the same file again renews it. */
  storedAt: string;
}

/** The whole text of a script's result that was too long for the model. The tool writes it. */
export interface ScriptOutput extends Attachment {
  kind: 'script-output';
  mediaType: 'text/plain';
  /** ISO 8601. */
  storedAt: string;
}

/** Where attachments and the outputs of scripts are kept, below the folder of the app. */
export const defaultMediaDir = '.dyad/media';

export const attachmentPrefix = 'attachments:';
