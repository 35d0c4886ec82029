import { closeSync, fstatSync, lstatSync, openSync, type Stats } from 'node:fs';
import type { SandboxError } from '@mustard-sandbox/protocol';
import type { PathCall } from './call.ts';
import { type Locator, openFlags } from './locate.ts';
import { attachmentPrefix, checkPath } from './path-policy.ts';
import { findInside, kindOf, segmentsInside, type Entry, type Tree } from './tree.ts';

/** Everything that one run may see. */
export interface Files {
  readonly tree: Tree | undefined;
  /** Link-free absolute paths, by the names of the attachments. */
  readonly attachments: ReadonlyMap<string, string>;
  readonly locator: Locator;
}

/** An open file that a script's path led to. It stays open until it is disposed of. */
export interface OpenFile extends Disposable {
  readonly fd: number;
  readonly stats: Stats;
}

/**
 * Opens a link-free path and checks which file was really opened. Another program may swap a link between the check of a
 * name and its opening, so only the descriptor counts. This is the one guard: whatever a built-in reads comes from here.
 *
 * @param accepts whether what was opened, by its link-free path, is allowed
 * @throws {SandboxError} `capability_denied` when it is not; raw errors of the file system
 */
export function openGuarded(
  path: string,
  flags: number,
  accepts: (real: string) => boolean,
  locator: Locator,
  call: PathCall,
): { fd: number } & Disposable {
  const fd = openSync(path, flags);
  try {
    const real = locator.locate(fd, path);
    if (real === undefined || !accepts(real)) throw call.deniedLink();
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  return { fd, [Symbol.dispose]: () => closeSync(fd) };
}

/** Like `openGuarded`, but closes the file after `use`. */
export function withOpened<T>(
  path: string,
  flags: number,
  accepts: (real: string) => boolean,
  locator: Locator,
  call: PathCall,
  use: (fd: number) => T,
): T {
  using opened = openGuarded(path, flags, accepts, locator, call);
  return use(opened.fd);
}

/**
 * Opens the regular file that a script's path names. The caller disposes of it, on every path.
 *
 * @throws {SandboxError} `capability_denied`, `script_error`; raw errors of the file system
 */
export function openFile(files: Files, path: unknown, call: PathCall): OpenFile {
  const target = findFile(files, path, call);
  // Opening a device can have effects, so only a regular file is opened.
  if (target.kind !== 'file') throw notAFile(target.kind, call);
  const opened = openGuarded(target.path, openFlags, target.accepts, files.locator, call);
  try {
    const stats = fstatSync(opened.fd);
    if (!stats.isFile()) throw notAFile(kindOf(stats), call);
    return { ...opened, stats };
  } catch (error) {
    opened[Symbol.dispose]();
    throw error;
  }
}

/** Like `openFile`, but closes the file after `use`, which must do all its work before it returns. */
export function withFile<T>(files: Files, path: unknown, call: PathCall, use: (fd: number, stats: Stats) => T): T {
  using file = openFile(files, path, call);
  return use(file.fd, file.stats);
}

function findFile(files: Files, path: unknown, call: PathCall): Entry & { accepts: (real: string) => boolean } {
  const asked = checkPath(path);
  if (asked.kind === 'refused') throw call.denied(asked.why);
  if (asked.kind === 'attachment') {
    const real = files.attachments.get(asked.name);
    if (real === undefined) throw call.notFound();
    // A log may be rotated during the run. A new file at the same path is still the one that the host meant.
    return { path: real, kind: kindOf(lstatSync(real)), accepts: (opened) => opened === real };
  }
  const tree = requireTree(files, call);
  const entry = findInside(tree, asked.segments, call);
  return { ...entry, accepts: (opened) => segmentsInside(tree, opened) !== undefined };
}

/** @throws {SandboxError} `capability_denied` when the run has no root */
export function requireTree(files: Files, call: PathCall): Tree {
  if (files.tree !== undefined) return files.tree;
  const names = files.attachments.size > 0 ? `; list_files("${attachmentPrefix}") shows its attachments` : '';
  throw call.denied(`this run was given no folder${names}`);
}

function notAFile(kind: Entry['kind'], call: PathCall): SandboxError {
  if (kind === 'folder') return call.denied(`it is a folder; list_files(${call.shown}) shows what is in it`);
  return call.denied('it is not a regular file');
}
