import {
  closeSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  type Dir,
  type Stats,
} from 'node:fs';
import { randomUUID } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { SandboxError } from '@mustard-sandbox/protocol';
import { openFolderFlags, systemLocator } from './locate.ts';
import { PathCall } from './call.ts';
import { openGuarded, withFile, withOpened, type Files } from './open.ts';
import { checkPath, refusalOfName } from './path-policy.ts';
import { isSecret } from './secret-names.ts';
import { findInside, segmentsInside, type Tree } from './tree.ts';

/** What `list` gives. */
export interface FolderEntry {
  name: string;
  /** The stats of a regular file; a folder has none. */
  stats?: Stats;
}

/** A call whose errors stay on the host: they keep what the system said, such as that the disk is full. */
class FolderCall extends PathCall {
  override systemError(error: unknown): SandboxError {
    return Object.assign(super.systemError(error), { cause: error });
  }
}

/** How many entries are read in one call into the system. */
const batch = 256;

/** What is refused inside the folder as well. By default nothing is. */
export interface FolderRules {
  /** What scripts may not read, by its name; `.git` and `node_modules` are among it. */
  refuseSecrets?: boolean;
  /** Links on the way, wherever they lead; otherwise those that stay inside are followed. */
  refuseLinks?: boolean;
}

/**
 * The files below one folder, for a tool of a host that lets a model read and write them. No path leads out of the
 * folder, by its text or by a link, also while others swap links there. What is refused inside is for `FolderRules`.
 *
 * All functions throw `SandboxError`: `capability_denied` for a path that is refused, `script_error` with
 * `details.name` `NotFoundError` or `NotReadableError` for what is not there or cannot be reached. `cause` is what the
 * system said.
 */
export class FolderFiles {
  readonly #tree: Tree;
  readonly #files: Files;

  /** @param root absolute and free of links */
  constructor(root: string, { refuseSecrets = false, refuseLinks = false }: FolderRules = {}) {
    this.#tree = {
      root,
      deny: [],
      ...(refuseSecrets ? {} : { whole: true }),
      ...(refuseLinks ? { noLinks: true } : {}),
    };
    this.#files = { tree: this.#tree, attachments: new Map(), locator: systemLocator };
  }

  /**
   * The first `maxBytes` of a regular file, and how many bytes it has.
   *
   * @param tool the name of the tool, for messages
   */
  read(path: unknown, maxBytes: number, tool: string): { bytes: Buffer; size: number } {
    const call = new FolderCall(tool, path);
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

  /**
   * The regular files and the folders in a folder, in no order. Links and devices are left out, and so is what has a name
   * that the other functions refuse. The folder is open until the iteration ends.
   *
   * @param path `.` is the root
   */
  *list(path: unknown, tool: string): Generator<FolderEntry, void, undefined> {
    const call = new FolderCall(tool, path);
    try {
      yield* this.#entries(path, call);
    } catch (error) {
      throw error instanceof SandboxError ? error : call.systemError(error);
    }
  }

  /**
   * What is at a path: a regular file with its mode, or nothing. All else is refused, and so is a path that a file could
   * not have.
   */
  look(path: unknown, tool: string): { mode: number; size: number } | undefined {
    const call = new FolderCall(tool, path);
    return call.run(() => {
      const { folder, missing, name } = this.#placeFor(path, call);
      if (missing.length > 0) return undefined;
      const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
      return stats === undefined ? undefined : { mode: stats.mode, size: stats.size };
    });
  }

  /** Whether a path leads to a folder. It is refused where `look` refuses it, but for that. */
  isFolder(path: unknown, tool: string): boolean {
    const call = new FolderCall(tool, path);
    return call.run(() => {
      const asked = checkPath(path);
      if (asked.kind === 'refused') throw call.denied(asked.why);
      return asked.kind === 'root' && this.#find(asked.segments, call)?.kind === 'folder';
    });
  }

  /**
   * Moves a file of the host's own to a path, at once, and makes the folders that it lies in. What was there is gone.
   *
   * @param from absolute, on the same disk; not checked
   */
  place(from: string, path: unknown, tool: string): void {
    const call = new FolderCall(tool, path);
    call.run(() => this.#inFolderOf(path, call, (folder, name) => renameSync(from, join(folder, name))));
  }

  /** Where the file of a path is or would be once links are followed, relative to the folder and with `/`. */
  whereIs(path: unknown, tool: string): string {
    const call = new FolderCall(tool, path);
    return call.run(() => {
      const { folder, missing, name } = this.#placeFor(path, call);
      const segments = segmentsInside(this.#tree, join(folder, ...missing, name));
      if (segments === undefined) throw call.denied('names like this are on the denylist');
      return segments.join('/');
    });
  }

  /** Writes a file, as a whole or not at all, and makes the folders that it lies in. */
  write(path: unknown, content: string | Uint8Array, tool: string): void {
    const call = new FolderCall(tool, path);
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
    const call = new FolderCall(tool, path);
    return call.run(() =>
      this.#inFolderOf(path, call, (folder, name) => {
        rmSync(join(folder, name), { force: true });
        return openSync(join(folder, name), 'wx', 0o644);
      }),
    );
  }

  /** Removes a file, where it is there. */
  remove(path: unknown, tool: string): void {
    const call = new FolderCall(tool, path);
    call.run(() => this.#inFolderOf(path, call, (folder, name) => rmSync(join(folder, name), { force: true })));
  }

  *#entries(path: unknown, call: PathCall): Generator<FolderEntry, void, undefined> {
    const asked = checkPath(path);
    if (asked.kind !== 'root') throw call.denied(asked.kind === 'refused' ? asked.why : 'it is not a folder');
    const place = findInside(this.#tree, asked.segments, call);
    if (place.kind !== 'folder') throw call.denied('it is not a folder');
    const accepts = (real: string): boolean => segmentsInside(this.#tree, real) !== undefined;
    using opened = openGuarded(place.path, openFolderFlags, accepts, systemLocator, call);
    const folder = systemLocator.folderPath(opened.fd, place.path);
    using handle = closedAfter(opendirSync(folder, { bufferSize: batch }));
    for (let entry; (entry = handle.dir.readSync()) !== null;) {
      const { name } = entry;
      if (!entry.isFile() && !entry.isDirectory()) continue;
      if (refusalOfName(name, asked.segments.length === 0, process.platform) !== undefined) continue;
      if (this.#tree.whole !== true && isSecret([...asked.segments.slice(-1), name])) continue;
      if (entry.isDirectory()) yield { name };
      else {
        const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
        // Another one may have taken its place since it was listed.
        if (stats?.isFile() === true) yield { name, stats };
      }
    }
    // Where a folder is listed by its name, the name must still mean the one that was opened.
    const now = systemLocator.locate(opened.fd, place.path);
    if (now === undefined || !accepts(now)) throw call.deniedLink();
  }

  /** Runs `use` with a path by which the folder that holds `path` cannot be swapped, made where it is missing. */
  #inFolderOf<T>(path: unknown, call: PathCall, use: (folder: string, name: string) => T): T {
    const { folder, missing, name } = this.#placeFor(path, call);
    // Where no link is followed, not even one that another program puts there meanwhile is.
    const accepts = (real: string): boolean =>
      this.#tree.noLinks === true ? real === folder : segmentsInside(this.#tree, real) !== undefined;
    return withOpened(folder, openFolderFlags, accepts, systemLocator, call, (fd) =>
      inNewFolders(systemLocator.folderPath(fd, folder), missing, (inner) => use(inner, name)),
    );
  }

  /** Where a file goes: the folder that is there, those that are missing below it, and the name. */
  #placeFor(path: unknown, call: PathCall): { folder: string; missing: string[]; name: string } {
    const asked = checkPath(path);
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

  #find(segments: readonly string[], call: PathCall): ReturnType<typeof findInside> | undefined {
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

function closedAfter(dir: Dir): { dir: Dir } & Disposable {
  return { dir, [Symbol.dispose]: () => dir.closeSync() };
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
