import { maxAttachmentsRead, type Scope } from '@mustard-sandbox/protocol';
import { insideFor } from './archives/later.ts';
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
  /** Valid UTF-8 for `utf8`; ASCII characters for `base64`. `options` is `{ start?, length?, encoding? }`, in bytes. */
  readFile(path: unknown, options: unknown): Buffer;
  /** Paths relative to the root, or `attachments:<name>`; folders end in `/`. */
  listFiles(dir: unknown, options?: unknown): string[];
  /** Paths in the form of `listFiles`, but only of files. */
  findFiles(glob: unknown, options?: unknown): string[];
  fileStats(path: unknown, options?: unknown): FileStats;
  /** Built-ins whose answer ended at a default limit. */
  readonly cutShort: Set<CutShort>;
  /** How many bytes of files the built-ins have read so far. */
  readonly bytesRead: number;
  /**
   * Names of the attachments that the script looked at, by `readFile` or `fileStats`, in the order of the first look;
   * at most `maxAttachmentsRead`.
   */
  readonly attachmentsRead: string[];
  /** Everything that a run in segments needs to continue. No file stays open. */
  keep(): KeptFiles;
  /**
   * Continues where another run was.
   *
   * @throws {SandboxError} `snapshot_refused` for a file that changed during a loop over its lines; like `readFile` for
   * a file
   *   that cannot be opened any more
   */
  thaw(kept: KeptFiles): void;
}

/** What the built-ins of one run know, as plain data without caches. */
export interface KeptFiles {
  bytesRead: number;
  attachmentsRead: string[];
  cutShort: CutShort[];
  lines: KeptReaders;
}

/**
 * Opens the root and the attachments of a scope for one run. The caller enforces `scope.builtins`.
 *
 * @param roots link-free. If given, the root and the attachments must lie inside them
 * @param pace keeps built-ins that take long under the deadline
 * @throws {SandboxError} `invalid_request` when the root is not an existing folder, an attachment not an
 *   existing regular file, either outside `roots`, one of their names or paths not usable, or a deny pattern malformed
 */
export function openFileAccess(scope: Scope): FileAccess & AsideContext;
export function openFileAccess(scope: Scope, roots: readonly string[] | undefined, pace: Pace): FileAccess;
export function openFileAccess(scope: Scope, roots?: readonly string[], pace: Pace = unhurried): FileAccess {
  return new ScopedFiles(filesOfScope(scope, systemLocator, roots), scope, pace);
}

type Limits = Pick<Scope, 'maxReadBytes' | 'maxTotalReadBytes'>;

/** The files of a scope whose paths were resolved. */
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
      const members = insideFor(dir)?.listMembers(this, dir, recursive, call);
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
    // The script may only ask for the size, or whether it is text.
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
    // Reading up to the old place again was counted before.
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
