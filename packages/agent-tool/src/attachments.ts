import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { SandboxError } from '@mustard-sandbox/client';

/** A file that scripts read as `attachments:<name>`, or its path alone: then the name is the path's last part. */
export type AttachmentOption = string | { name: string; path: string };

export interface Attachment {
  name: string;
  /** Absolute. */
  path: string;
  /** Bytes, when the tool was made; the description says it. */
  size: number;
}

/** @throws {SandboxError} `invalid_request` for a name that cannot be used or is there twice, and for what is no file */
export function resolveAttachments(options: readonly AttachmentOption[]): Attachment[] {
  const names = new Set<string>();
  return options.map((option) => {
    const { name, path } = typeof option === 'string' ? { name: basename(option), path: option } : option;
    const quoted = JSON.stringify(name);
    // The same names that the sidecar refuses. Control characters could also forge lines of the description.
    if (name === '' || /[/\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) {
      throw invalid(`attachment ${quoted}: a name needs a character, and none of '/' or control characters`);
    }
    if (names.has(name)) throw invalid(`attachment ${quoted} is there twice: give one of them another name`);
    names.add(name);
    return { name, path: resolve(path), size: sizeOf(path, quoted) };
  });
}

function sizeOf(path: string, quoted: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw invalid(`attachment ${quoted}: there is no file ${path}`);
  if (!stats.isFile()) throw invalid(`attachment ${quoted}: ${path} is not a regular file`);
  return stats.size;
}

function invalid(message: string): SandboxError {
  return new SandboxError('invalid_request', `${message}.`);
}
