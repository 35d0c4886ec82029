import { closeSync, lstatSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { SandboxError } from '../protocol/errors.ts';
import { openFolderFlags, systemLocator } from '../protocol/locate.ts';
import { BuiltinCall } from './call.ts';
import { withFile, withOpened, type Files } from './open.ts';
import { checkGuestPath } from './path-policy.ts';
import { findInside, segmentsInside, type Tree } from './tree.ts';

/**
 * The files below one folder, for a tool of a host that lets a model read and write them. No path leads out of the
 * folder, by its text or by a link, also while others swap links there. Inside nothing is held back.
 *
 * All functions throw `SandboxError`: `capability_denied` for a path that is refused, `script_error` with
 * `details.name` `NotFoundError` or `NotReadableError` for what is not there or cannot be reached.
 */
export class FolderFiles {
  readonly #tree: Tree;
  readonly #files: Files;

  /** @param root absolute and free of links */
  constructor(root: string) {
    this.#tree = { root, deny: [], whole: true };
    this.#files = { tree: this.#tree, attachments: new Map(), locator: systemLocator };
  }

  /**
   * The first `maxBytes` of a regular file, and how many bytes it has.
   *
   * @param tool the name of the tool, for messages
   */
  read(path: unknown, maxBytes: number, tool: string): { bytes: Buffer; size: number } {
    const call = new BuiltinCall(tool, path);
    return call.run(() =>
      withFile(this.#files, path, call, (fd, { size }) => {
        const bytes = Buffer.allocUnsafe(Math.min(size, maxBytes));
        let filled = 0;
        for (let count = -1; filled < bytes.length && count !== 0; filled += count) {
          count = readSync(fd, bytes, filled, bytes.length - filled, filled);
        }
        return { bytes: bytes.subarray(0, filled), size };
      }),
    );
  }

  /** Writes a file, as a whole or not at all, and makes the folders that it lies in. */
  write(path: unknown, content: string | Uint8Array, tool: string): void {
    const call = new BuiltinCall(tool, path);
    call.run(() =>
      this.#inFolderOf(path, call, (folder, name) => {
        const partial = join(folder, `.${randomUUID()}.partial`);
        // What is there keeps its mode: a script stays executable.
        const mode = lstatSync(join(folder, name), { throwIfNoEntry: false })?.mode ?? 0o644;
        try {
          writeFileSync(partial, content, { flag: 'wx', mode: mode & 0o777 });
          renameSync(partial, join(folder, name));
        } finally {
          rmSync(partial, { force: true });
        }
      }),
    );
  }

  /** Opens a new file, to be written to. What had its name is gone. The caller closes it. */
  create(path: unknown, tool: string): number {
    const call = new BuiltinCall(tool, path);
    return call.run(() =>
      this.#inFolderOf(path, call, (folder, name) => {
        rmSync(join(folder, name), { force: true });
        return openSync(join(folder, name), 'wx', 0o644);
      }),
    );
  }

  /** Removes a file, where it is there. */
  remove(path: unknown, tool: string): void {
    const call = new BuiltinCall(tool, path);
    call.run(() => this.#inFolderOf(path, call, (folder, name) => rmSync(join(folder, name), { force: true })));
  }

  /** Runs `use` with a path by which the folder that holds `path` cannot be swapped, made where it is missing. */
  #inFolderOf<T>(path: unknown, call: BuiltinCall, use: (folder: string, name: string) => T): T {
    const { folder, missing, name } = this.#placeFor(path, call);
    const accepts = (real: string): boolean => segmentsInside(this.#tree, real) !== undefined;
    return withOpened(folder, openFolderFlags, accepts, systemLocator, call, (fd) =>
      inNewFolders(systemLocator.folderPath(fd, folder), missing, (inner) => use(inner, name)),
    );
  }

  /** Where a file goes: the folder that is there, those that are missing below it, and the name. */
  #placeFor(path: unknown, call: BuiltinCall): { folder: string; missing: string[]; name: string } {
    const asked = checkGuestPath(path);
    if (asked.kind === 'refused') throw call.denied(asked.why);
    const segments = asked.kind === 'root' ? asked.segments : [];
    const last = segments.at(-1);
    if (last === undefined) throw call.denied('it names no file');
    for (let count = segments.length; ; count--) {
      const place = this.#find(segments.slice(0, count), call);
      if (place === undefined) continue;
      if (count === segments.length) {
        if (place.kind !== 'file') throw call.denied('it is not a regular file');
        return { folder: dirname(place.path), missing: [], name: basename(place.path) };
      }
      if (place.kind !== 'folder') throw call.denied('a part of it is a file, and no folder');
      return { folder: place.path, missing: segments.slice(count, -1), name: last };
    }
  }

  #find(segments: readonly string[], call: BuiltinCall): ReturnType<typeof findInside> | undefined {
    try {
      return findInside(this.#tree, segments, call);
    } catch (error) {
      // A link that leads nowhere is refused instead, so nothing is made through one.
      if (error instanceof SandboxError && error.details.name === 'NotFoundError' && segments.length > 0)
        return undefined;
      throw error;
    }
  }
}

/** Makes folders one in the other. Each is opened before the next is made in it: a link that is put there meanwhile fails. */
function inNewFolders<T>(folder: string, missing: readonly string[], use: (folder: string) => T): T {
  const [name, ...rest] = missing;
  if (name === undefined) return use(folder);
  const path = join(folder, name);
  mkdirSync(path, { recursive: true, mode: 0o755 });
  const fd = openSync(path, openFolderFlags);
  try {
    return inNewFolders(systemLocator.folderPath(fd, path), rest, use);
  } finally {
    closeSync(fd);
  }
}
