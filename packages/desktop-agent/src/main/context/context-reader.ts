import type { Context, ContextGlobs } from '../../contract/index.ts';
import { defaultLimits, readingMs, type ContextLimits } from './limits.ts';
import type { ContextFiles, FileNames, Request } from './messages.ts';
import { emptyOverlay, type Overlay } from './overlay.ts';
import { ReadingThread } from './reading-thread.ts';

export interface ContextOptions {
  /** Proposed changes, which are read as if they were made. */
  overlay?: Overlay;
  /** What goes into the prompt at most, in bytes. */
  limits?: ContextLimits;
  /** How long it may take. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * Reads the text files of apps, in a thread of its own, and keeps them until they change. One for the whole program; the
 * thread starts with the first call.
 */
export class ContextReader implements AsyncDisposable {
  readonly #thread = new ReadingThread();

  /**
   * What the prompt of an app is made of.
   *
   * @param appPath absolute
   * @throws {AgentError} `not_found` when the folder is not there, `limit_exceeded` when reading takes too long; what
   *   `signal` was aborted with
   */
  async files(appPath: string, globs: ContextGlobs, options: ContextOptions = {}): Promise<ContextFiles> {
    return (await this.#ask('files', appPath, globs, options)) as ContextFiles;
  }

  /**
   * The same for the page: with the number of tokens, without contents, by path. Of more than 10,000 files only the first
   * are listed; the sums are of all.
   *
   * @throws {AgentError} as `files`
   */
  async describe(appPath: string, globs: ContextGlobs, options: ContextOptions = {}): Promise<Context> {
    return (await this.#ask('description', appPath, globs, options)) as Context;
  }

  /** The paths of its files, without what git ignores, secrets and links. @throws {AgentError} as `files` */
  async names(appPath: string, signal?: AbortSignal): Promise<FileNames> {
    const globs = { include: [], exclude: [], strict: false };
    return (await this.#ask('names', appPath, globs, signal === undefined ? {} : { signal })) as FileNames;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }

  async #ask(
    wants: Request['wants'],
    appPath: string,
    globs: ContextGlobs,
    { overlay = emptyOverlay, limits = defaultLimits, timeoutMs = readingMs, signal }: ContextOptions,
  ): Promise<unknown> {
    return await this.#thread.ask({ appPath, wants, globs, overlay, limits }, timeoutMs, signal);
  }
}
