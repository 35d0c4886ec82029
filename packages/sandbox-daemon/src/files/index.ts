import { maxAttachmentsRead, type Scope } from '@mustard-sandbox/protocol';
import { listMembers } from './archives/list-members.ts';
import { BuiltinCall } from './call.ts';
import type { AsideContext, BuiltinContext } from './context.ts';
import { fileStats, type FileStats } from './file-stats.ts';
import { findFiles } from './find-files.ts';
import { LineIndexes } from './line-indexes.ts';
import { LineReaders, type KeptReaders } from './line-readers.ts';
import { listFiles, listOptionsSchema } from './list-files.ts';
import { parseOptions, refuseOptions } from './options.ts';
import { listRecursively } from './walk.ts';
import { checkPath, memberPathOf, systemLocator, type Files } from '@mustard-sandbox/paths';
import type { ReadBudget } from './budget.ts';
import { unhurried, type Pace } from './pace.ts';
import { readFile } from './read-file.ts';
import { filesOfScope } from './scope.ts';

export type CutShort = 'search' | 'query';

/**
 * The files one run may see. Its methods throw `SandboxError` only: `capability_denied`,
 * `capability_timeout`, `script_error` (missing, not readable), and `readFile` also `limit_exceeded` and
 * `invalid_request`.
 */
export interface FileAccess extends BuiltinContext, Disposable {
  /** The loops over the lines of files. */
  readonly lineReaders: LineReaders;
  /** For `utf8` valid UTF-8, for `base64` its ASCII characters. `options`: `{ start?, length?, encoding? }`, in bytes. */
  readFile(path: unknown, options: unknown): Buffer;
  /** Paths relative to the root, or `attachments:<name>`; folders end in `/`. */
  listFiles(dir: unknown, options?: unknown): string[];
  /** Paths as `listFiles` gives them, of files alone. */
  findFiles(glob: unknown, options?: unknown): string[];
  fileStats(path: unknown, options?: unknown): FileStats;
  /** Built-ins whose answer ended at a limit that the call did not give. */
  readonly cutShort: Set<CutShort>;
  /** Bytes of files that built-ins have read so far. */
  readonly bytesRead: number;
  /**
   * Names of the attachments that the script looked at, by `readFile` or `fileStats`, in order of the first look;
   * `maxAttachmentsRead` at most.
   */
  readonly attachmentsRead: string[];
  /** All that a run in segments needs to go on: no file stays open. */
  keep(): KeptFiles;
  /**
   * Goes on where another run was.
   *
   * @throws {SandboxError} `snapshot_refused` for a file that changed during a loop over its lines; as `readFile` for one
   *   that cannot be opened any more
   */
  thaw(kept: KeptFiles): void;
}

/** What the built-ins of one run know, as plain data. Caches are not in it. */
export interface KeptFiles {
  bytesRead: number;
  attachmentsRead: string[];
  cutShort: CutShort[];
  lines: KeptReaders;
}

/**
 * Opens what a scope names, for one run. `scope.builtins` is the caller's to enforce.
 *
 * @param roots link-free; given, the root and the attachments must lie inside them
 * @param pace how built-ins that take long stay under the deadline
 * @throws {SandboxError} `invalid_request` when the root is not an existing folder, an attachment not an
 *   existing regular file, either outside `roots`, one of their names or paths not usable, or a deny pattern malformed
 */
export function openFileAccess(scope: Scope): FileAccess & AsideContext;
export function openFileAccess(scope: Scope, roots: readonly string[] | undefined, pace: Pace): FileAccess;
export function openFileAccess(scope: Scope, roots?: readonly string[], pace: Pace = unhurried): FileAccess {
  return new ScopedFiles(filesOfScope(scope, systemLocator, roots), scope, pace);
}

type Limits = Pick<Scope, 'maxReadBytes' | 'maxTotalReadBytes'>;

/** What a scope names, once that was resolved. */
export class ScopedFiles<P extends Pace> implements FileAccess {
  readonly files: Files;
  readonly budget: ReadBudget;
  readonly pace: P;
  readonly lineIndexes = new LineIndexes();
  readonly lineReaders = new LineReaders();
  readonly cutShort = new Set<CutShort>();
  readonly #attachmentsRead = new Set<string>();

  constructor(files: Files, { maxReadBytes, maxTotalReadBytes, used = 0 }: Limits & { used?: number }, pace: P) {
    this.files = files;
    this.pace = pace;
    this.budget = { maxReadBytes, maxTotalReadBytes, used };
  }

  get bytesRead(): number {
    return this.budget.used;
  }

  get attachmentsRead(): string[] {
    return [...this.#attachmentsRead].slice(0, maxAttachmentsRead);
  }

  readFile(path: unknown, options: unknown): Buffer {
    const call = new BuiltinCall('read_file', path);
    const bytes = call.run(() => readFile(this, path, options, call));
    this.markRead(path);
    return bytes;
  }

  listFiles(dir: unknown, options?: unknown): string[] {
    const call = new BuiltinCall('list_files', dir === undefined ? '.' : dir);
    return call.run(() => {
      const { recursive } = parseOptions(listOptionsSchema, options, call);
      const members = listMembers(this, dir, recursive, call);
      if (members !== undefined) return members;
      return recursive ? listRecursively(this, dir, call) : listFiles(this.files, dir, call);
    });
  }

  findFiles(glob: unknown, options?: unknown): string[] {
    const call = new BuiltinCall('find_files', glob);
    return call.run(() => {
      refuseOptions(options, call);
      return findFiles(this, glob, call).paths;
    });
  }

  fileStats(path: unknown, options?: unknown): FileStats {
    const call = new BuiltinCall('file_stats', path);
    const stats = call.run(() => {
      refuseOptions(options, call);
      return fileStats(this, path, call);
    });
    // Its size or whether it is text can be all that was asked.
    this.markRead(path);
    return stats;
  }

  keep(): KeptFiles {
    const bytesRead = this.budget.used - this.lineReaders.unread;
    const { attachmentsRead, cutShort } = this;
    return { bytesRead, attachmentsRead, cutShort: [...cutShort], lines: this.lineReaders.keep() };
  }

  thaw({ bytesRead, attachmentsRead, cutShort, lines }: KeptFiles): void {
    for (const name of attachmentsRead) this.#attachmentsRead.add(name);
    for (const name of cutShort) this.cutShort.add(name);
    this.lineReaders.thaw(this, lines);
    // What it takes to come back to a place was counted before.
    this.budget.used = bytesRead;
  }

  [Symbol.dispose](): void {
    this.lineReaders[Symbol.dispose]();
  }

  markRead(path: unknown): void {
    if (typeof path !== 'string') return;
    const asked = checkPath(memberPathOf(path)?.archive ?? path);
    if (asked.kind === 'attachment') this.#attachmentsRead.add(asked.name);
  }
}
