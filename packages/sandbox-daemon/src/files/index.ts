import { maxAttachmentsRead } from '../protocol/limits.ts';
import type { Scope } from '../protocol/methods.ts';
import { BuiltinCall } from './call.ts';
import { fileStats, type FileStats } from './file-stats.ts';
import { listFiles } from './list-files.ts';
import { systemLocator } from '../protocol/locate.ts';
import type { Files } from './open.ts';
import { attachmentPrefix } from './path-policy.ts';
import { readFile, type ReadBudget } from './read-file.ts';
import { filesOfScope } from './scope.ts';

/**
 * The files one run may see. Synchronous: a run owns its process. All three throw `SandboxError` only:
 * `capability_denied`, `capability_timeout`, `script_error` (missing, not readable), and `readFile` also
 * `limit_exceeded` and `invalid_request`.
 */
export interface FileAccess {
  /** For `utf8` valid UTF-8, for `base64` its ASCII characters. `options`: `{ start?, length?, encoding? }`, in bytes. */
  readFile(path: unknown, options: unknown): Buffer;
  /** Paths relative to the root, or `attachments:<name>`; folders end in `/`. */
  listFiles(dir: unknown): string[];
  fileStats(path: unknown): FileStats;
  /** Bytes of files that `readFile` has returned so far. */
  readonly bytesRead: number;
  /**
   * Names of the attachments that the script looked at, by `readFile` or `fileStats`, in order of the first look;
   * `maxAttachmentsRead` at most.
   */
  readonly attachmentsRead: string[];
}

/**
 * Opens what a scope names, for one run. `scope.builtins` is the caller's to enforce.
 *
 * @param roots link-free; given, the root and the attachments must lie inside them
 * @throws {SandboxError} `invalid_request` when the root is not an existing folder, an attachment not an
 *   existing regular file, either outside `roots`, one of their names or paths not usable, or a deny pattern malformed
 */
export function openFileAccess(scope: Scope, roots?: readonly string[]): FileAccess {
  return new ScopedFiles(filesOfScope(scope, systemLocator, roots), scope);
}

class ScopedFiles implements FileAccess {
  readonly #files: Files;
  readonly #budget: ReadBudget;
  readonly #attachmentsRead = new Set<string>();

  constructor(files: Files, { maxReadBytes, maxTotalReadBytes }: Scope) {
    this.#files = files;
    this.#budget = { maxReadBytes, maxTotalReadBytes, used: 0 };
  }

  get bytesRead(): number {
    return this.#budget.used;
  }

  get attachmentsRead(): string[] {
    return [...this.#attachmentsRead].slice(0, maxAttachmentsRead);
  }

  readFile(path: unknown, options: unknown): Buffer {
    const call = new BuiltinCall('read_file', path);
    const bytes = call.run(() => readFile(this.#files, this.#budget, path, options, call));
    this.#markRead(path);
    return bytes;
  }

  listFiles(dir: unknown): string[] {
    const call = new BuiltinCall('list_files', dir === undefined ? '.' : dir);
    return call.run(() => listFiles(this.#files, dir, call));
  }

  fileStats(path: unknown): FileStats {
    const call = new BuiltinCall('file_stats', path);
    const stats = call.run(() => fileStats(this.#files, path, call));
    // Its size or whether it is text can be all that was asked.
    this.#markRead(path);
    return stats;
  }

  #markRead(path: unknown): void {
    if (typeof path !== 'string' || !path.startsWith(attachmentPrefix)) return;
    this.#attachmentsRead.add(path.slice(attachmentPrefix.length));
  }
}
