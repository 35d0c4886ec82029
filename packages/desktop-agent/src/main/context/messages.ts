import type { Context } from '../../contract/index.ts';
import type { ReadOptions } from './app-reader.ts';

/** The files of an app as a prompt gets them. */
export interface ContextFiles {
  /** Least recently changed first, so that the beginning of the prompt stays the same. What is proposed comes last. */
  files: readonly { path: string; content: string }[];
  /** Files that are left out, with the reason; no more than are worth naming. */
  omitted: readonly { path: string; why: 'too-large' | 'binary' | 'limit' }[];
  /** How many are left out. */
  omittedCount: number;
  /** False when the app has more files than are looked at. */
  complete: boolean;
}

/** To the thread that reads. */
export interface Request extends ReadOptions {
  appPath: string;
  wants: 'files' | 'description' | 'names';
}

/** Paths of all files that git does not ignore. */
export interface FileNames {
  files: string[];
  /** Whether there are more. */
  truncated: boolean;
}

export type Answer = ContextFiles | Context | FileNames;
/** From there. `error` is the code of the file system, or a message. */
export type Reply = { value: Answer } | { error: string };
