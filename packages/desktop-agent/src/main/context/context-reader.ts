import type { Context, ContextGlobs } from '../../contract/index.ts';
import type { Overlay } from './overlay.ts';

/** The files of an app as a prompt gets them. */
export interface ContextFiles {
  /** Least recently changed first, so that the beginning of the prompt stays the same. What is proposed comes last. */
  files: readonly { path: string; content: string }[];
  /** Files that are left out, with the reason; no more than are worth naming. */
  omitted: readonly { path: string; why: 'too-large' | 'binary' | 'limit' }[];
  /** How many are left out. */
  omittedCount: number;
}

export interface ContextOptions {
  /** Proposed changes, which are read as if they were made. */
  overlay?: Overlay;
  signal?: AbortSignal;
}

/**
 * Reads the text files of apps, in a thread of its own, and keeps them until they change. One for the whole program; the
 * thread starts with the first call.
 */
export class ContextReader implements AsyncDisposable {
  /**
   * What the prompt of an app is made of.
   *
   * @param appPath absolute
   * @throws {AgentError} `not_found` when the folder is not there, `limit_exceeded` when reading takes too long
   */
  async files(appPath: string, globs: ContextGlobs, options: ContextOptions = {}): Promise<ContextFiles> {
    void [appPath, globs, options];
    return await Promise.resolve({ files: [], omitted: [], omittedCount: 0 });
  }

  /**
   * The same for the page, with token counts.
   *
   * @throws {AgentError} as `files`
   */
  async describe(appPath: string, globs: ContextGlobs, options: ContextOptions = {}): Promise<Context> {
    void [appPath, globs, options];
    return await Promise.resolve({ files: [], tokens: 0, omitted: 0 });
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
