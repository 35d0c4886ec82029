import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { join, sep } from 'node:path';
import type { SandboxError } from '@mustard-sandbox/protocol';
import type { PathCall } from './call.ts';
import type { DenyGlob } from './glob.ts';
import { isDenied } from './path-policy.ts';

/** The folder that a run may read in. */
export interface Tree {
  /** Absolute and free of links. It may itself lie in a denied folder, because only names below it are checked. */
  readonly root: string;
  readonly deny: readonly DenyGlob[];
  /** No name in it is refused as a secret, because whoever reads here may use all of it. */
  readonly whole?: true;
  /** No link is followed, not even one that stays inside the root. */
  readonly noLinks?: true;
}

/** A file or folder in the tree, by its link-free path. */
export interface Entry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'other';
}

/** The segments below the root of a link-free path, or `undefined` when it lies outside or is denied. */
export function segmentsInside(tree: Tree, path: string): string[] | undefined {
  if (path === tree.root) return [];
  const base = tree.root.endsWith(sep) ? tree.root : tree.root + sep;
  if (!path.startsWith(base)) return undefined;
  const segments = path.slice(base.length).split(sep);
  return isDeniedIn(tree, segments) ? undefined : segments;
}

function isDeniedIn({ deny, whole }: Tree, segments: readonly string[]): boolean {
  return whole !== true && isDenied(segments, deny);
}

/**
 * Where an absolute path leads after all links; `undefined` when that is outside the tree or denied. The target may
 * change before it is opened, so this check only makes good errors; `withOpened` is the guard.
 *
 * @throws raw errors of the file system
 */
export function resolveInside(tree: Tree, absolute: string): Entry | undefined {
  const path = realpathSync.native(absolute);
  return segmentsInside(tree, path) === undefined ? undefined : { path, kind: kindOf(lstatSync(path)) };
}

/**
 * The file or folder that a checked path of a script names.
 *
 * @throws {SandboxError} `capability_denied` for what is denied, as written or as resolved, whether or
 *   not it exists; `script_error` for what is missing or cannot be read
 */
export function findInside(tree: Tree, segments: readonly string[], call: PathCall): Entry {
  if (isDeniedIn(tree, segments)) throw call.denied('names like this are on the denylist');
  let entry: Entry | undefined;
  try {
    entry = resolveInside(tree, join(tree.root, ...segments));
  } catch (error) {
    throw explain(tree, segments, call, error);
  }
  if (entry === undefined) throw call.deniedLink();
  if (tree.noLinks === true && entry.path !== join(tree.root, ...segments)) {
    throw call.denied('a link is on the way, or the disk spells a name differently');
  }
  return entry;
}

/** Whether this is a regular file, a folder or something else, such as a link, a pipe or a device. */
export function kindOf(stats: Stats): Entry['kind'] {
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'folder' : 'other';
}

/**
 * Why a path did not resolve. If `out` is a link that leads outside, `out/x` must give the same answer whether or not
 * `x` exists. So the error of the whole path counts only if no link on the way is the cause.
 */
function explain(tree: Tree, segments: readonly string[], call: PathCall, error: unknown): SandboxError {
  let folder = tree.root;
  for (const [index, segment] of segments.entries()) {
    // A link inside the root may lead to a folder where a deny pattern of the caller covers the rest of the path.
    if (segmentsInside(tree, join(folder, ...segments.slice(index))) === undefined) return call.deniedLink();
    const path = join(folder, segment);
    try {
      if (!lstatSync(path).isSymbolicLink()) folder = path;
      else {
        const target = targetOf(tree, path);
        if (target === undefined) return call.deniedLink();
        folder = target;
      }
    } catch (reason) {
      return call.systemError(reason);
    }
  }
  return call.systemError(error);
}

function targetOf(tree: Tree, link: string): string | undefined {
  try {
    return resolveInside(tree, link)?.path;
  } catch {
    return undefined;
  }
}
