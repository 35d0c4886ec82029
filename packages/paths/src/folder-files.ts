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

/** One entry of the listing that `list` gives. */
export interface FolderEntry {
  name: string;
  /** The stats of a regular file. Absent for a folder. */
  stats?: Stats;
}

/** A call whose errors stay on the host. They keep what the system said, such as that the disk is full. */
class FolderCall extends PathCall {
  override systemError(error: unknown): SandboxError {
    return Object.assign(super.systemError(error), { cause: error });
  }
}

/** How many entries one system call reads. */
const batch = 256;

/** What is refused inside the folder. By default, nothing is. */
export interface FolderRules {
  /** Refuse the names that scripts may not read. `.git` and `node_modules` are among them. */
  refuseSecrets?: boolean;
  /** Refuse every link on the way. Without it, links that stay inside the folder are followed. */
  refuseLinks?: boolean;
}

/**
 * The files below one folder, for a tool of a host that lets a model read and write them. No path leads out of the
 * folder, neither by its text nor by a link, even while another program swaps links there. `FolderRules` say what is
 * refused inside.
 *
 * All functions throw `SandboxError`: `capability_denied` for a path that is refused, and `script_error` for a path
 * that is missing or cannot be reached, with `NotFoundError` or `NotReadableError` as `details.name`. `cause` is the
 * error of the system.
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
   * The regular files and the folders in a folder, in no order. Left out are links, devices and names that the other
   * functions refuse. The folder stays open until the iteration ends.
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
   * The mode and size of the regular file at a path; `undefined` when nothing is there. Anything else is refused, and
   * so is a path that no file could have.
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

  /** Whether a path leads to a folder. It refuses what `look` refuses, except for folders. */
  isFolder(path: unknown, tool: string): boolean {
    const call = new FolderCall(tool, path);
    return call.run(() => {
      const asked = checkPath(path);
      if (asked.kind === 'refused') throw call.denied(asked.why);
      return asked.kind === 'root' && this.#find(asked.segments, call)?.kind === 'folder';
    });
  }

  /**
   * Moves a file of the host's own to a path, atomically, and makes the folders above it. It replaces the file that was
   * there.
   *
   * @param from absolute, on the same disk; not checked
   */
  place(from: string, path: unknown, tool: string): void {
    const call = new FolderCall(tool, path);
    call.run(() => this.#inFolderOf(path, call, (folder, name) => renameSync(from, join(folder, name))));
  }

  /**
   * Where the file of a path is, or would be, after all links are followed. The path is relative to the folder, with
   * `/`.
   */
  whereIs(path: unknown, tool: string): string {
    const call = new FolderCall(tool, path);
    return call.run(() => {
      const { folder, missing, name } = this.#placeFor(path, call);
      const segments = segmentsInside(this.#tree, join(folder, ...missing, name));
      if (segments === undefined) throw call.denied('names like this are on the denylist');
      return segments.join('/');
    });
  }

  /** Writes a file completely or not at all, and makes the folders above it. */
  write(path: unknown, content: string | Uint8Array, tool: string): void {
    const call = new FolderCall(tool, path);
    call.run(() =>
      this.#inFolderOf(path, call, (folder, name) => {
        const partial = join(folder, `.${randomUUID()}.partial`);
        // A file that is replaced keeps its mode, so a script stays executable.
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

  /** Opens a new file for writing. It replaces the file that had its name. The caller closes it. */
  create(path: unknown, tool: string): number {
    const call = new FolderCall(tool, path);
    return call.run(() =>
      this.#inFolderOf(path, call, (folder, name) => {
        rmSync(join(folder, name), { force: true });
        return openSync(join(folder, name), 'wx', 0o644);
      }),
    );
  }

  /** Removes a file if it exists. */
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
        // Another kind of entry may have taken its place since the folder was listed.
        if (stats?.isFile() === true) yield { name, stats };
      }
    }
    // A system that lists a folder by its path lists whatever is at that path, so the path must still lead to the
    // folder that was opened.
    const now = systemLocator.locate(opened.fd, place.path);
    if (now === undefined || !accepts(now)) throw call.deniedLink();
  }

  /**
   * Runs `use` with a path to the folder that holds `path`, which nobody can swap. The folder is made if it is missing.
   */
  #inFolderOf<T>(path: unknown, call: PathCall, use: (folder: string, name: string) => T): T {
    const { folder, missing, name } = this.#placeFor(path, call);
    // When links are refused, a link that another program puts there meanwhile is not followed either.
    const accepts = (real: string): boolean =>
      this.#tree.noLinks === true ? real === folder : segmentsInside(this.#tree, real) !== undefined;
    return withOpened(folder, openFolderFlags, accepts, systemLocator, call, (fd) =>
      inNewFolders(systemLocator.folderPath(fd, folder), missing, (inner) => use(inner, name)),
    );
  }

  /** Where a file goes: the folder that exists, the missing folders below it, and the name of the file. */
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
      if (place.kind !== 'folder') throw call.denied('a part of it is a file and not a folder');
      return { folder: place.path, missing: segments.slice(count, -1), name: last };
    }
  }

  #find(segments: readonly string[], call: PathCall): ReturnType<typeof findInside> | undefined {
    try {
      return findInside(this.#tree, segments, call);
    } catch (error) {
      // A link that leads nowhere is refused, so that nothing is created through it.
      if (error instanceof SandboxError && error.details.name === 'NotFoundError' && segments.length > 0)
        return undefined;
      throw error;
    }
  }
}

function closedAfter(dir: Dir): { dir: Dir } & Disposable {
  return { dir, [Symbol.dispose]: () => dir.closeSync() };
}

/**
 * Makes folders, one in the other. Each is opened before the next is made in it, so a link that another program puts
 * there meanwhile makes it fail.
 */
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
