import { createHash } from 'node:crypto';
import { FolderFiles } from '@mustard-sandbox/paths';
import { SandboxError } from '@mustard-sandbox/client';
import { AgentError } from '../../shared/contract/index.ts';

/** The largest file that is read or written here. */
const maxFileBytes = 100 * 1024 * 1024;

const maxListed = 2000;
/** The deepest nesting of folders. A deeper path is refused, because versions with one cannot be read. */
const maxDepth = 200;

export interface AppFile {
  bytes: Buffer;
  hash: string;
  executable: boolean;
}

/** The files of an app, behind the same guard as for scripts: nothing outside, no link, no secret, no `.git`. */
export class AppFiles {
  readonly #files: FolderFiles;
  readonly #isOwn: boolean;

  /**
   * @param app absolute and free of links
   * @param options.own the paths come from the person's own commits: names of secrets are allowed, `.git` is not
   */
  constructor(app: string, { own = false } = {}) {
    this.#files = new FolderFiles(app, { refuseLinks: true, refuseSecrets: !own });
    this.#isOwn = own;
  }

  /**
   * A path as git writes it, without `.` and doubled slashes.
   *
   * @throws {AgentError} `unsafe_path` when a file may not have this path, `limit_exceeded`
   */
  check(path: string): string {
    const plain = this.#plain(path);
    this.#guarded(plain, () => this.#files.look(plain, 'change'));
    return plain;
  }

  /** The file at a path, `null` where there is none. @throws {AgentError} `unsafe_path`, `limit_exceeded` */
  read(path: string, maxBytes = maxFileBytes): AppFile | null {
    const plain = this.#plain(path);
    return this.#guarded(plain, () => {
      const found = this.#files.look(plain, 'change');
      if (found === undefined) return null;
      const { bytes, size } = this.#files.read(plain, maxBytes, 'change');
      if (size > maxBytes) throw tooLarge(plain, maxBytes);
      return { bytes, hash: hashOf(bytes), executable: (found.mode & 0o100) !== 0 };
    });
  }

  /**
   * The files in a folder and in those below, without links and names of secrets; `null` where there is no folder.
   *
   * @param path a `/` at its end is dropped
   */
  below(path: string): string[] | null {
    const folder = this.#plain(path.replace(/\/+$/, ''));
    return this.#guarded(folder, () => (this.#files.isFolder(folder, 'change') ? this.#list(folder) : null));
  }

  #list(folder: string): string[] {
    const paths: string[] = [];
    for (const { name, stats } of this.#files.list(folder, 'change')) {
      const path = `${folder}/${name}`;
      if (stats === undefined) paths.push(...this.#list(path));
      else paths.push(path);
      if (paths.length > maxListed)
        throw new AgentError('limit_exceeded', `There are over ${maxListed} files in ${folder}.`);
    }
    return paths;
  }

  /** Moves a prepared file on the same disk to its place. */
  place(from: string, path: string): void {
    this.#guarded(path, () => this.#files.place(from, this.#plain(path), 'change'));
  }

  remove(path: string): void {
    this.#guarded(path, () => this.#files.remove(this.#plain(path), 'change'));
  }

  #plain(path: string): string {
    if (path.trim() === '') throw new AgentError('unsafe_path', 'A change names no path.');
    if (path.endsWith('/')) throw new AgentError('unsafe_path', `${JSON.stringify(path)} names a folder, not a file.`);
    // An absolute path stays absolute, so that the guard refuses it.
    const plain =
      (path.startsWith('/') ? '/' : '') +
      path
        .split('/')
        .filter((name) => name !== '' && name !== '.')
        .join('/');
    if (plain.split('/').length > maxDepth) {
      throw new AgentError('limit_exceeded', `${plain.slice(0, 100)}… has over ${maxDepth} folders in it.`);
    }
    const names = plain.split('/').map((name) =>
      name
        .normalize('NFKC')
        .toLowerCase()
        .replace(/[. ]+$/, ''),
    );
    if (names[0] === '.dyad' || (this.#isOwn && names.some((name) => name === '.git' || /^git~\d/.test(name)))) {
      throw new AgentError('unsafe_path', `${JSON.stringify(path)} is refused: it belongs to git or to an agent.`);
    }
    return plain;
  }

  #guarded<T>(path: string, use: () => T): T {
    try {
      return use();
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      const isMissing = error.details.name === 'NotFoundError';
      throw new AgentError(isMissing ? 'not_found' : 'unsafe_path', explained(error, path), { cause: error });
    }
  }
}

function explained(error: SandboxError, path: string): string {
  if (error.details.name === 'NotFoundError') return `There is no file ${JSON.stringify(path)} in this app.`;
  return error.message.replace(/^change: /, '');
}

function tooLarge(path: string, maxBytes: number): AgentError {
  const megabytes = maxBytes / 1024 / 1024;
  return new AgentError(
    'limit_exceeded',
    `${path} is over ${megabytes} MB, which is too large to be read or changed here.`,
  );
}

/** The error for a file that has changed since a change of it was proposed. */
export function changedSince(path: string): AgentError {
  const message = `${path} is not any more what it was when this was proposed. The two changes touch the same lines, or it cannot be seen whether they do. Nothing was changed: ask for the change again.`;
  return new AgentError('changed', message);
}

/** SHA-256, in hex. */
export function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
