import { closeSync, fstatSync, lstatSync, openSync, type Stats } from 'node:fs';
import type { SandboxError } from '../protocol/errors.ts';
import type { BuiltinCall } from './call.ts';
import { openFlags, type Locator } from '../protocol/locate.ts';
import { attachmentPrefix, checkGuestPath } from './path-policy.ts';
import { findInside, kindOf, segmentsInside, type Place, type Tree } from './tree.ts';

/** Everything that one run may see. */
export interface Files {
  readonly tree: Tree | undefined;
  /** Link-free absolute paths by name. */
  readonly attachments: ReadonlyMap<string, string>;
  readonly locator: Locator;
}

/**
 * Opens a link-free path, checks which file was really opened, and closes it after `use`. Another program may swap a link
 * between the check of a name and its opening, so only the descriptor counts.
 *
 * @param accepts whether what was opened, by its link-free path, is allowed
 * @throws {SandboxError} `capability_denied` when it is not; raw errors of the file system
 */
export function withOpened<T>(
  path: string,
  flags: number,
  accepts: (real: string) => boolean,
  locator: Locator,
  call: BuiltinCall,
  use: (fd: number) => T,
): T {
  const fd = openSync(path, flags);
  try {
    const real = locator.locate(fd, path);
    if (real === undefined || !accepts(real)) throw call.deniedLink();
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Opens the regular file that a guest's path names.
 *
 * @throws {SandboxError} `capability_denied`, `script_error`; raw errors of the file system
 */
export function withFile<T>(files: Files, path: unknown, call: BuiltinCall, use: (fd: number, stats: Stats) => T): T {
  const target = findFile(files, path, call);
  // Opening a device can have effects, so only a regular file is opened.
  if (target.kind !== 'file') throw notAFile(target.kind, call);
  return withOpened(target.path, openFlags, target.accepts, files.locator, call, (fd) => {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw notAFile(kindOf(stats), call);
    return use(fd, stats);
  });
}

function findFile(files: Files, path: unknown, call: BuiltinCall): Place & { accepts: (real: string) => boolean } {
  const asked = checkGuestPath(path);
  if (asked.kind === 'refused') throw call.denied(asked.why);
  if (asked.kind === 'attachment') {
    const real = files.attachments.get(asked.name);
    if (real === undefined) throw call.notFound();
    // A log may be rotated during the run. Another file with the same path is still the one that the host meant.
    return { path: real, kind: kindOf(lstatSync(real)), accepts: (opened) => opened === real };
  }
  const tree = requireTree(files, call);
  const place = findInside(tree, asked.segments, call);
  return { ...place, accepts: (opened) => segmentsInside(tree, opened) !== undefined };
}

/** @throws {SandboxError} `capability_denied` when the run has no root */
export function requireTree(files: Files, call: BuiltinCall): Tree {
  if (files.tree !== undefined) return files.tree;
  const names = files.attachments.size > 0 ? `; list_files("${attachmentPrefix}") shows its attachments` : '';
  throw call.denied(`this run was given no folder${names}`);
}

function notAFile(kind: Place['kind'], call: BuiltinCall): SandboxError {
  if (kind === 'folder') return call.denied(`it is a folder; list_files(${call.shown}) shows what is in it`);
  return call.denied('it is not a regular file');
}
