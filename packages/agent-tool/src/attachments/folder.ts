import { realpathSync } from 'node:fs';
import { lstat, mkdir, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { invalidRequest } from '@mustard-sandbox/protocol';
import { AttachmentError, readingError, systemCode, writingError } from './errors.ts';
import { ownerPattern, ownerTag } from './owner.ts';

/** Content-addressed files of the store: the hash in lower-case hex, and an extension. */
export const blobName = /^([0-9a-f]{64})\.[a-z0-9]{1,16}$/;

/** Files that are being written. Their names identify the writing process. */
export const partialName = new RegExp(`^\\.partial-${ownerPattern}$`);

export function newPartialName(): string {
  return `.partial-${ownerTag()}`;
}

/** The media folder: the folder of the attachments within the folder of the app. */
export class MediaFolder {
  readonly app: string;
  /** Absolute. */
  readonly path: string;
  readonly #segments: readonly string[];

  /** @throws {SandboxError} `invalid_request` for a media folder that is not below the app's */
  constructor(appPath: string, mediaDir: string) {
    this.app = resolve(appPath);
    this.path = resolve(this.app, mediaDir);
    const below = relative(this.app, this.path);
    if (isAbsolute(mediaDir) || below === '' || leadsOut(below) || mediaDir.includes('\0')) {
      throw invalidRequest(
        `mediaDir ${JSON.stringify(mediaDir)} must be a path relative to appPath, to a folder below it`,
      );
    }
    this.#segments = below.split(sep);
  }

  /** Relative to the app's folder, with `/`. */
  get relativePath(): string {
    return this.#segments.join('/');
  }

  /**
   * Makes the folder if it is missing.
   *
   * @throws {AttachmentError} `not_found` when the app's folder is missing, `not_a_file`, `unsafe_folder`,
   * `unwritable`, `disk_full`
   * @throws {SandboxError} `invalid_request` when a link leads there
   */
  async make(): Promise<void> {
    const app = await this.#realApp();
    let path = this.app;
    for (const segment of this.#segments) {
      path = join(path, segment);
      let made = true;
      try {
        await mkdir(path, { mode: 0o700 });
      } catch (error) {
        if (systemCode(error) !== 'EEXIST') throw writingError(error, path);
        made = false;
      }
      // Checked after each step, because making the next folder through a link would write outside.
      await this.#check(app, path);
      if (made && path === this.path) await hideFromGit(path);
    }
  }

  /**
   * Whether the folder exists.
   *
   * @throws like `make`
   */
  async exists(): Promise<boolean> {
    try {
      await this.#check(await this.#realApp(), this.path);
      return true;
    } catch (error) {
      if (error instanceof AttachmentError && error.code === 'not_found') return false;
      throw error;
    }
  }

  /** Its real path; `undefined` if it is missing, or a link leads there. */
  realPathSync(): string | undefined {
    try {
      const real = realpathSync(this.path);
      return real === join(realpathSync(this.app), ...this.#segments) ? real : undefined;
    } catch {
      return undefined;
    }
  }

  async #realApp(): Promise<string> {
    try {
      return await realpath(this.app);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw readingError(error, this.app);
      throw new AttachmentError('not_found', `There is no folder ${this.app} (appPath).`, { cause: error });
    }
  }

  async #check(realApp: string, path: string): Promise<void> {
    try {
      // A link may lead to the folder of another app, whose files `cleanup` would remove.
      if ((await realpath(path)) !== join(realApp, relative(this.app, path))) {
        throw invalidRequest(
          `${path} is a link, or below one in the app's folder: remove it, or choose another mediaDir`,
        );
      }
      const stats = await stat(path);
      if (!stats.isDirectory()) {
        throw new AttachmentError('not_a_file', `${path} is not a folder: remove it, or choose another mediaDir.`, {
          details: { path },
        });
      }
      if (stats.uid !== process.getuid?.() && process.getuid !== undefined && (stats.mode & 0o002) !== 0) {
        throw new AttachmentError(
          'unsafe_folder',
          `${path} belongs to another user, and everybody may write there: remove it, or choose another mediaDir.`,
          { details: { path, owner: stats.uid } },
        );
      }
    } catch (error) {
      throw readingError(error, path);
    }
  }
}

/** Hides a folder that we made from `git status`. If that fails, everything else still works. */
async function hideFromGit(path: string): Promise<void> {
  await writeFile(join(path, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }).catch(() => {});
}

function leadsOut(path: string): boolean {
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
}

/**
 * The size of the regular file at `path`, in bytes; `undefined` for a missing file and for anything else, including a
 * link.
 */
export async function sizeOfFile(path: string): Promise<number | undefined> {
  try {
    const stats = await lstat(path);
    return stats.isFile() ? stats.size : undefined;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw readingError(error, path);
  }
}

/**
 * Puts a file in place atomically.
 *
 * @throws {AttachmentError} `disk_full`, `unwritable`; then the old file is still there, and nothing else
 */
export async function writeAtomically(path: string, data: string | Uint8Array, mode: number): Promise<void> {
  const partial = join(dirname(path), newPartialName());
  try {
    const file = await open(partial, 'wx', mode);
    try {
      await file.chmod(mode);
      await file.writeFile(data);
      await file.sync();
    } finally {
      await file.close();
    }
    await moveOver(partial, path);
  } catch (error) {
    await discard(partial);
    throw writingError(error, path);
  }
}

/** Removes a useless file if possible. A failure is ignored, because an earlier error matters more. */
export async function discard(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => {});
}

/** Renames a file, even over an existing one. */
export async function moveOver(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(from, to);
    } catch (error) {
      // On Windows a virus scanner that looks at a new file holds it for some milliseconds.
      const mayPass = process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(systemCode(error) ?? '');
      if (!mayPass || attempt > 8) throw error;
      await delay(attempt * 10);
    }
  }
}

/** Makes new names in the folder survive a power failure, if the system can do that. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    // Windows opens no folders, and some file systems cannot sync them.
    if (['EIO', 'ENOSPC', 'EDQUOT'].includes(systemCode(error) ?? '')) throw writingError(error, path);
  }
}
