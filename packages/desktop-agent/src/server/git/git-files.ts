// The file system for isomorphic-git. The folder `.git` may come from a stranger.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { link, lstat, mkdir, readdir, realpath, rename, rm, rmdir, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { PromiseFsClient } from 'isomorphic-git';
import { discard, ownerTag } from '@mustard-sandbox/agent-tool/host';
import { AgentError } from '../../shared/contract/index.ts';

/** The largest file that is read as a whole, in bytes. The index has some 100 bytes for each file, lists of refs less. */
const maxFileBytes = 32 * 1024 * 1024;
const noFollow = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * The files below one `.git`: no link is followed, nothing outside is read or written, and each file is written as a
 * whole or not at all. A ref or an index that was cut in the middle by a crash would cost the person the repository.
 */
export class GitFiles {
  readonly gitdir: string;
  readonly #temporary: string;
  /** Folders that are known to be free of links. */
  readonly #plain = new Set<string>();

  /** @param gitdir absolute and free of links */
  constructor(gitdir: string) {
    this.gitdir = gitdir;
    this.#temporary = join(gitdir, 'mustard-agent', 'tmp');
  }

  /** The interface that isomorphic-git expects. */
  get client(): PromiseFsClient {
    return {
      promises: {
        readFile: async (path: string, options?: string | { encoding?: string }) => {
          const bytes = await this.read(path);
          const encoding = typeof options === 'string' ? options : options?.encoding;
          return encoding === undefined ? bytes : bytes.toString('utf8');
        },
        writeFile: (path: string, data: string | Uint8Array) => this.write(path, data),
        mkdir: async (path: string) => mkdir(await this.#inside(path)),
        rmdir: async (path: string) => rmdir(await this.#inside(path)),
        unlink: async (path: string) => unlink(await this.#inside(path)),
        stat: (path: string) => this.#lstat(path),
        lstat: (path: string) => this.#lstat(path),
        readdir: (path: string) => this.list(path),
        readlink: (path: string) => Promise.reject(unsafe(path)),
        symlink: (_target: string, path: string) => Promise.reject(unsafe(path)),
      },
    };
  }

  /** @throws {AgentError} `limit_exceeded`, `unsafe_path` */
  async read(path: string): Promise<Buffer> {
    return this.withFile(path, (fd) => readFileSync(fd), maxFileBytes);
  }

  /** Opens a file while `use` runs. @throws {AgentError} `limit_exceeded`, `unsafe_path`; errors of the disk */
  async withFile<T>(path: string, use: (fd: number, size: number) => T, maxBytes = Infinity): Promise<T> {
    const fd = opened(await this.#inside(path));
    try {
      const stats = fstatSync(fd);
      if (stats.isDirectory()) throw Object.assign(new Error('It is a folder.'), { code: 'EISDIR' });
      if (!stats.isFile()) throw unsafe(path);
      if (stats.size > maxBytes) throw tooLarge(path, maxBytes);
      return use(fd, stats.size);
    } finally {
      closeSync(fd);
    }
  }

  async list(folder: string): Promise<string[]> {
    return readdir(await this.#inside(join(folder, '.'), true));
  }

  async write(path: string, data: string | Uint8Array): Promise<void> {
    const target = await this.#inside(path);
    const temporary = await this.newTemporary();
    const isObject = /[/\\]objects[/\\]/.test(path);
    try {
      await writeFile(temporary, data, { flag: 'wx', mode: isObject ? 0o444 : 0o644, flush: !isObject });
      await rename(temporary, target);
    } catch (error) {
      await discard(temporary);
      throw error;
    }
  }

  /** Takes git's own lock of the index. @returns releases it */
  async lockIndex(): Promise<() => Promise<void>> {
    const lock = join(this.gitdir, 'index.lock');
    const temporary = await this.newTemporary();
    await writeFile(temporary, '', { flag: 'wx' });
    try {
      // The lock is a hard link, so that our lock, if a crash leaves it behind, can be told from one of git.
      await link(temporary, lock);
    } catch (error) {
      await discard(temporary);
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const message =
        'git is at work in this app. Try again when it has ended. If it was killed, remove .git/index.lock.';
      throw new AgentError('busy', message, { cause: error });
    }
    return async () => {
      await discard(lock);
      await discard(temporary);
    };
  }

  /** Removes what our own crash has left behind. The caller is the only writer. */
  async removeLeftovers(): Promise<void> {
    const lock = join(this.gitdir, 'index.lock');
    // git makes no hard links to its lock. Only ours has two names, until the second is removed below.
    const stats = await lstat(lock).catch(() => undefined);
    if (stats?.isFile() === true && stats.nlink > 1) await discard(lock);
    await rm(this.#temporary, { recursive: true, force: true });
    this.#plain.delete(this.#temporary);
  }

  /** A path for a new file on the same disk, in an existing folder. */
  async newTemporary(): Promise<string> {
    if (!this.#plain.has(this.#temporary)) {
      await this.makePlainFolder(join(this.gitdir, 'mustard-agent'));
      await this.makePlainFolder(this.#temporary);
    }
    return join(this.#temporary, ownerTag());
  }

  async makePlainFolder(path: string): Promise<void> {
    if (this.#plain.has(path) && (await lstat(path).catch(() => undefined))?.isDirectory() === true) return;
    await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    if (!(await lstat(path)).isDirectory()) throw unsafe(path);
    this.#plain.add(path);
  }

  async #lstat(path: string): Promise<unknown> {
    const stats = await lstat(await this.#inside(path));
    if (stats.isSymbolicLink()) throw unsafe(path);
    return stats;
  }

  /** @throws {AgentError} `unsafe_path` for a path outside, or below a link */
  async #inside(path: string, isFolder = false): Promise<string> {
    const whole = join(path);
    if (whole !== this.gitdir && !whole.startsWith(this.gitdir + sep)) throw unsafe(path);
    const folder = isFolder || whole === this.gitdir ? whole : dirname(whole);
    if (!this.#plain.has(folder)) {
      const real = await realpath(folder);
      if (real !== folder) throw unsafe(path);
      this.#plain.add(folder);
    }
    return whole;
  }
}

function unsafe(path: string): AgentError {
  return new AgentError(
    'unsafe_path',
    `${path} is a link, or no plain file or folder. Nothing in .git is read or written through links: replace it by what it leads to.`,
  );
}

function opened(path: string): number {
  try {
    return openSync(path, noFollow);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ELOOP' ? unsafe(path) : error;
  }
}

function tooLarge(path: string, maxBytes: number): AgentError {
  const message = `${path} has over ${maxBytes / 1024 / 1024} MB, which is too large to be read here. Use git itself for this repository.`;
  return new AgentError('limit_exceeded', message);
}
