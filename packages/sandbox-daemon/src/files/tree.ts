import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { join, sep } from 'node:path';
import type { SandboxError } from '../protocol/errors.ts';
import type { BuiltinCall } from './call.ts';
import type { DenyGlob } from './glob.ts';
import { isDenied } from './path-policy.ts';

/** The folder a run may read in. */
export interface Tree {
  /** Absolute and free of links. It may itself lie in a denied folder: only what is below counts. */
  readonly root: string;
  readonly deny: readonly DenyGlob[];
  /** Nothing in it is held back as a secret: whoever reads here may do what he likes with all of it. */
  readonly whole?: true;
  /** No link is followed, not even one that stays inside. */
  readonly noLinks?: true;
}

/** Something in the tree, by its link-free path. */
export interface Place {
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
 * Where an absolute path leads after all links; `undefined` when that is outside the tree or denied.
 * The target may change before it is opened. So this only gives good errors; the guard is `withOpened`.
 *
 * @throws raw errors of the file system
 */
export function resolveInside(tree: Tree, absolute: string): Place | undefined {
  const path = realpathSync.native(absolute);
  return segmentsInside(tree, path) === undefined ? undefined : { path, kind: kindOf(lstatSync(path)) };
}

/**
 * The place that a checked path of a script names.
 *
 * @throws {SandboxError} `capability_denied` for what is denied, as written or as resolved, whether or
 *   not it exists; `script_error` for what is missing or cannot be read
 */
export function findInside(tree: Tree, segments: readonly string[], call: BuiltinCall): Place {
  if (isDeniedIn(tree, segments)) throw call.denied('names like this are on the denylist');
  let place: Place | undefined;
  try {
    place = resolveInside(tree, join(tree.root, ...segments));
  } catch (error) {
    throw explain(tree, segments, call, error);
  }
  if (place === undefined) throw call.deniedLink();
  if (tree.noLinks === true && place.path !== join(tree.root, ...segments)) {
    throw call.denied('a link is on the way, or a name is spelled otherwise on the disk');
  }
  return place;
}

export function kindOf(stats: Stats): Place['kind'] {
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'folder' : 'other';
}

/**
 * Why a path did not resolve. When `out` leads outside, `out/x` must give the same answer whether or not `x` exists. So
 * the error of the whole path counts only if no link on the way is the cause.
 */
function explain(tree: Tree, segments: readonly string[], call: BuiltinCall, error: unknown): SandboxError {
  let folder = tree.root;
  for (const [index, segment] of segments.entries()) {
    // A link inside the root may lead to a folder where a pattern of the caller denies the rest.
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
