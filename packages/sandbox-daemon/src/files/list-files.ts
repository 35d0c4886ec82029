import { opendirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { BuiltinCall } from './call.ts';
import {
  attachmentPrefix,
  outputPrefix,
  checkPath,
  findInside,
  isDenied,
  openFolderFlags,
  refusalOfName,
  requireTree,
  resolveInside,
  segmentsInside,
  withOpened,
  type Files,
  type Entry,
  type Tree,
} from '@mustard-sandbox/paths';

/** The options of `list_files`. */
export const listOptionsSchema = z.strictObject({
  /** Whether to list all folders below, too. */
  recursive: z._default(z.boolean(), false),
});

/** How many entries one system call reads. The clock is checked after each call. */
const batch = 1024;

/**
 * The entries of one folder as paths for `read_file` and `list_files`, with `/` at the end of a folder, sorted by
 * UTF-16 code unit. Entries that those would refuse are left out.
 *
 * @param dir as the script wrote it; the root when `undefined`
 * @throws {SandboxError} `capability_denied`, `script_error`; raw errors of the file system
 */
export function listFiles(files: Files, dir: unknown, call: BuiltinCall): string[] {
  const asked = checkPath(dir === undefined ? '.' : dir);
  if (asked.kind === 'refused') throw call.denied(asked.why);
  if (asked.kind === 'attachment') {
    if (asked.name !== '' && asked.name !== outputPrefix) {
      throw call.denied(`attachments are no folders; list_files("${attachmentPrefix}") shows all`);
    }
    const isOutput = (name: string): boolean => name.startsWith(outputPrefix);
    const names = [...files.attachments.keys()];
    if (asked.name === outputPrefix) return names.filter(isOutput).sort();
    return names.flatMap((name) => (isOutput(name) ? [] : [attachmentPrefix + name])).sort();
  }
  const tree = requireTree(files, call);
  const entry = findInside(tree, asked.segments, call);
  if (entry.kind !== 'folder') throw call.denied('it is not a folder');
  const check = (): void => call.checkTime();
  return listFolder(files, tree, asked.segments, entry, call, { withLinks: true, check }).sort();
}

interface FolderOptions {
  /** Whether to list links, by what they lead to. */
  withLinks: boolean;
  /** Throws when the time is up. */
  check: () => void;
}

/** The entries of a folder that was found in the tree, in no order. */
export function listFolder(
  files: Files,
  tree: Tree,
  asked: string[],
  { path }: Entry,
  call: BuiltinCall,
  { withLinks, check }: FolderOptions,
): string[] {
  const { locator } = files;
  let real: string[] | undefined;
  const accepts = (opened: string): boolean => (real = segmentsInside(tree, opened)) !== undefined;
  return withOpened(path, openFolderFlags, accepts, locator, call, (fd) => {
    const folder = locator.folderPath(fd, path);
    const entries = readEntries(folder, check, (entry) =>
      entry.isSymbolicLink() && !withLinks ? undefined : shownName(tree, asked, real ?? [], folder, entry),
    );
    // A folder that was listed by its path must still be the folder that was opened.
    const now = locator.locate(fd, path);
    if (now === undefined || !accepts(now)) throw call.deniedLink();
    return entries;
  });
}

function readEntries(folder: string, check: () => void, show: (entry: Dirent) => string | undefined): string[] {
  const shown: string[] = [];
  // Unlike readdirSync, this can stop on the clock. It is also faster: 30 ms for 100,000 entries, against 60 ms.
  const handle = opendirSync(folder, { bufferSize: batch });
  try {
    for (let count = 1; ; count++) {
      const entry = handle.readSync();
      if (entry === null) return shown;
      const name = show(entry);
      if (name !== undefined) shown.push(name);
      if (count % batch === 0) check();
    }
  } finally {
    handle.closeSync();
  }
}

/** How an entry is listed, or `undefined` when a read of it would be refused. */
function shownName(
  tree: Tree,
  asked: readonly string[],
  real: readonly string[],
  folder: string,
  entry: Dirent,
): string | undefined {
  const { name } = entry;
  if (refusalOfName(name, asked.length === 0, process.platform) !== undefined) return undefined;
  const written = [...asked, name];
  if (isDenied(written, tree.deny) || isDenied([...real, name], tree.deny)) return undefined;
  const kind = kindOfEntry(tree, folder, entry);
  if (kind === 'other') return undefined;
  return written.join('/') + (kind === 'folder' ? '/' : '');
}

function kindOfEntry(tree: Tree, folder: string, entry: Dirent): Entry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (!entry.isSymbolicLink()) return 'other';
  try {
    return resolveInside(tree, join(folder, entry.name))?.kind ?? 'other';
  } catch {
    return 'other';
  }
}
