import { isUtf8 } from 'node:buffer';
import { realpathSync } from 'node:fs';
import { SandboxError } from '@mustard-sandbox/client';
import { FolderFiles } from '@mustard-sandbox/paths';
import { isBinary } from '../changes/diff.ts';
import { AgentError, type Result } from '../../shared/contract/index.ts';

const maxListed = 10_000;
const maxDepth = 32;
const maxShownBytes = 1024 * 1024;
/** The most bytes of a download, which is held in memory. */
const maxBytes = 256 * 1024 * 1024;
/** Installed packages and the history would hide what a command made. */
const hidden = new Set(['.git', 'node_modules']);

/** The files of a workspace, for a person to look at: what builds made, too. By the guard that its tools have. */
export class WorkspaceFiles {
  readonly #files: FolderFiles;

  /** @param folder absolute */
  constructor(folder: string) {
    this.#files = new FolderFiles(realpathSync.native(folder));
  }

  /** By path. */
  list(): Pick<Result<'list-workspace-files'>, 'files' | 'truncated'> {
    const files: { path: string; bytes: number }[] = [];
    const open: { folder: string; depth: number }[] = [{ folder: '', depth: 0 }];
    for (let next; (next = open.pop()) !== undefined && files.length <= maxListed;) {
      const { folder, depth } = next;
      for (const { name, stats } of this.#entries(folder)) {
        if (stats !== undefined) files.push({ path: folder + name, bytes: stats.size });
        else if (depth < maxDepth && !hidden.has(name)) open.push({ folder: `${folder}${name}/`, depth: depth + 1 });
      }
    }
    files.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { files: files.slice(0, maxListed), truncated: files.length > maxListed };
  }

  /** The beginning of a file as text. @throws {AgentError} `not_found`, `unsafe_path` */
  show(path: string): Result<'read-workspace-file'> {
    const { bytes: read, size } = this.#read(path, maxShownBytes);
    const bytes = size > read.length ? withoutTornEnd(read) : read;
    if (isBinary(bytes)) return { content: '', bytes: size, cut: false, binary: true };
    return { content: bytes.toString('utf8'), bytes: size, cut: size > read.length, binary: false };
  }

  /** @throws {AgentError} `not_found`, `unsafe_path`, `limit_exceeded` */
  download(path: string): Buffer {
    const { bytes, size } = this.#read(path, maxBytes);
    if (size > maxBytes) throw new AgentError('limit_exceeded', `${path} is larger than 256 MiB.`);
    return bytes;
  }

  *#entries(folder: string): ReturnType<FolderFiles['list']> {
    try {
      yield* this.#files.list(folder === '' ? '.' : folder, 'workspace');
    } catch {
      // Without permission, or gone meanwhile.
    }
  }

  #read(path: string, most: number): { bytes: Buffer; size: number } {
    try {
      return this.#files.read(path, most, 'workspace');
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      const code = error.details.name === 'NotFoundError' ? 'not_found' : 'unsafe_path';
      throw new AgentError(code, error.message.replace(/^workspace: /, ''), { cause: error });
    }
  }
}

/** A character of UTF-8 has four bytes at most. */
function withoutTornEnd(bytes: Buffer): Buffer {
  const whole = [0, 1, 2, 3].map((torn) => bytes.subarray(0, bytes.length - torn)).find((part) => isUtf8(part));
  return whole ?? bytes;
}
