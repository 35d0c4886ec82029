/** A file that scripts read as `attachments:<name>`. */
export interface Attachment {
  /** Without `/` and control characters, and in one chat never twice. */
  name: string;
  /** Absolute. */
  path: string;
  /** Bytes. */
  size: number;
  /** Such as `text/plain`, in lower case and without parameters. */
  mediaType?: string;
  /** Its path is no link, and it is refused where that became one: for files that no person chose by that path. */
  noLinks?: boolean | undefined;
}

/** Where a tool finds the attachments of its next call. `AttachmentStore` is one. */
export interface AttachmentSource {
  list(): Promise<readonly Attachment[]>;
  /** A folder of its own, absolute. Outputs of scripts go there, paths of scripts never lead there, and nothing in it is a link. */
  readonly directory?: string | undefined;
  /** The folder above, absolute, from which on no link may lead to `directory`. Default: its parent. */
  readonly appPath?: string | undefined;
  /** The chat that it speaks for, whose outputs those are. */
  readonly chat?: string | undefined;
}

/** A file that an `AttachmentStore` took in. */
export interface StoredAttachment extends Attachment {
  kind: 'file';
  mediaType: string;
  /** Of the content, in hex. The file on disk is named after it. */
  sha256: string;
  /** As it was given to `store`. */
  originalName: string;
  /** Of the store that took it in. */
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
