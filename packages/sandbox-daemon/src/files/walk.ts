import { SandboxError } from '@mustard-sandbox/protocol';
import type { BuiltinCall } from './call.ts';
import type { BuiltinContext } from './context.ts';
import { listFiles, listFolder } from './list-files.ts';
import { checkPath, findInside, requireTree } from '@mustard-sandbox/paths';

/** The most entries of one walk. More would not help a script, and would fill its memory. */
const maxEntries = 200_000;

/** How deep folders may nest. */
const maxDepth = 128;

export interface WalkOptions {
  /** Whether to look into a folder, given its segments from the root. */
  enters?: (segments: readonly string[]) => boolean;
  /** Whether to include a file. */
  takes?: (segments: readonly string[]) => boolean;
  /** Whether to include folders, with `/` at the end. */
  withFolders?: boolean;
}

/** The result of a walk. */
export interface Walked {
  /** Sorted by UTF-16 code unit. */
  paths: string[];
  /** Folders that could not be listed. */
  unreadable: string[];
}

/** The files that a path names, and whether it named just one. */
export interface NamedFiles extends Walked {
  isSingle: boolean;
}

/**
 * The files in a folder and in all folders below it. Refused files are left out. Links are not followed, because they
 * could lead in a circle, and to the same file twice.
 *
 * @throws {SandboxError} `capability_denied`, `script_error` for a folder that is missing or cannot be listed,
 *   `limit_exceeded`
 */
export function walk(
  context: BuiltinContext,
  start: readonly string[],
  call: BuiltinCall,
  { enters, takes, withFolders = false }: WalkOptions = {},
): Walked {
  const paths: string[] = [];
  const unreadable: string[] = [];
  const open: string[][] = [[...start]];
  for (let folder; (folder = open.pop()) !== undefined;) {
    context.pace.check();
    for (const path of entriesOf(context, folder, call, folder.length === start.length ? undefined : unreadable)) {
      const isFolder = path.endsWith('/');
      const segments = path.split('/');
      if (isFolder) segments.pop();
      if (isFolder && segments.length < maxDepth && enters?.(segments) !== false) open.push(segments);
      if (isFolder ? withFolders : takes?.(segments) !== false) paths.push(path);
      if (paths.length > maxEntries) {
        const why = `there are more than ${maxEntries} files in ${call.shown}. Ask for one folder at a time.`;
        throw call.limitExceeded('value_items', maxEntries, paths.length, why, 'items');
      }
    }
  }
  return { paths: paths.sort(), unreadable };
}

/** @param unreadable takes a folder that cannot be listed; without it that is an error */
function entriesOf(
  { files, pace }: BuiltinContext,
  folder: string[],
  call: BuiltinCall,
  unreadable: string[] | undefined,
): string[] {
  const tree = requireTree(files, call);
  try {
    const entry = findInside(tree, folder, call);
    if (entry.kind !== 'folder') throw call.denied('it is not a folder');
    return listFolder(files, tree, folder, entry, call, { withLinks: false, check: () => pace.check() });
  } catch (error) {
    const isRunOver = error instanceof SandboxError && !['script_error', 'capability_denied'].includes(error.code);
    if (unreadable === undefined || isRunOver) throw error;
    unreadable.push(`${folder.join('/')}/`);
    return [];
  }
}

/** Like `listFiles`, with everything in the folders below. */
export function listRecursively(context: BuiltinContext, dir: unknown, call: BuiltinCall): string[] {
  const asked = checkPath(dir === undefined ? '.' : dir);
  if (asked.kind !== 'root') return listFiles(context.files, dir, call);
  return walk(context, asked.segments, call, { withFolders: true }).paths;
}
