import { lstatSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { invalidRequest } from '@mustard-sandbox/protocol';
import * as z from 'zod';
import type { Attachment, AttachmentSource } from '../attachments/attachment.ts';
import { parse } from '../options.ts';

/** The longest name that the sidecar takes, in characters. */
const maxNameLength = 255;

/** A file that scripts read as `attachments:<name>`, or only its path. The name is then the last part of the path. */
export type AttachmentOption = string | { name: string; path: string };

/** The files of a call, and the names of the files that are missing. */
export interface Available {
  attachments: Attachment[];
  missing: string[];
}

/**
 * A fixed list of files as a source. The files need not exist yet.
 *
 * @throws {SandboxError} `invalid_request` for a name that cannot be used or occurs twice
 */
export function listedFiles(options: readonly AttachmentOption[]): AttachmentSource {
  const files = options.map((option) => {
    const { name, path } = typeof option === 'string' ? { name: basename(option), path: option } : option;
    return { name, path: resolve(path), size: 0 };
  });
  checkNames(files);
  return { list: async () => files };
}

// A source may add keys of its own.
const listSchema = z
  .array(z.object({ name: z.string(), path: z.string(), noLinks: z.boolean().optional() }))
  .readonly();

/**
 * The files that a source lists, with their present sizes. A missing file is left out, because the sidecar would refuse
 * the whole run for it; a script that reads it gets an error that names it.
 *
 * @throws {SandboxError} `invalid_request` if the source gives no list, or a name cannot be used; also the error of the
 * source
 */
export async function availableFrom(source: AttachmentSource): Promise<Available> {
  const { directory } = source;
  const listed = parse(listSchema, await source.list(), 'attachments: list()').map((file) => {
    return dirname(file.path) === directory ? { ...file, noLinks: true } : file;
  });
  checkNames(listed);
  const sizes = listed.map(sizeOf);
  const attachments = listed.flatMap((file, index) => {
    const size = sizes[index];
    return size === undefined ? [] : [{ ...file, size }];
  });
  return { attachments, missing: listed.filter((_, index) => sizes[index] === undefined).map(({ name }) => name) };
}

function checkNames(files: readonly { name: string }[]): void {
  const names = new Set<string>();
  for (const { name } of files) {
    const quoted = JSON.stringify(name);
    // The sidecar refuses the same names. Control characters could also fake lines of a dialog.
    if (name === '' || /[/\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) {
      throw invalidRequest(`attachment ${quoted}: a name needs a character, and none of '/' or control characters`);
    }
    if (name.length > maxNameLength)
      throw invalidRequest(`attachment ${quoted}: a name has at most ${maxNameLength} characters`);
    if (names.has(name)) throw invalidRequest(`attachment ${quoted} is there twice: give one of them another name`);
    names.add(name);
  }
}

/**
 * The size of a regular file in bytes; `undefined` for anything else, and for a file that cannot be reached. It is
 * synchronous, because that takes 3 µs, and the thread pool 30 µs. The client checks the same paths in the same way
 * before each run.
 */
function sizeOf({ path, noLinks }: Pick<Attachment, 'path' | 'noLinks'>): number | undefined {
  try {
    const stats = (noLinks === true ? lstatSync : statSync)(path, { throwIfNoEntry: false });
    return stats?.isFile() ? stats.size : undefined;
  } catch {
    return undefined;
  }
}
