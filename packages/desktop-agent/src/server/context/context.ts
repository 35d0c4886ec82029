// The files of an app for prompts and pages. A worker thread reads them, and caches them until they change.
import { AgentError, type Context, type ContextGlobs } from '../../shared/contract/index.ts';
import { inWorker, type WorkOptions } from '../worker/index.ts';
import type { FileNames } from './app-reader.ts';
import { defaultLimits, readingMs, type ContextLimits } from './limits.ts';
import { emptyOverlay, type Overlay } from './overlay.ts';
import type { ContextFiles, Instructions } from './reading.ts';
import { rulesOf } from './rules.ts';

export interface ContextOptions {
  /** Proposed changes, which are read as if they had been made. */
  overlay?: Overlay;
  /** The most bytes for the prompt. */
  limits?: ContextLimits;
  /** How long it may take, in ms. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * The files of an app for the prompt.
 *
 * @param appPath absolute
 * @throws {AgentError} `not_found` when the folder is gone, `limit_exceeded` when reading takes too long; the reason of
 *   `signal` after an abort
 */
export async function contextFiles(
  appPath: string,
  globs: ContextGlobs,
  { overlay = emptyOverlay, limits = defaultLimits, ...options }: ContextOptions = {},
): Promise<ContextFiles> {
  return await inWorker('readFiles', [appPath, { globs, overlay, limits }], within(appPath, options));
}

/**
 * The files for the page, sorted by path, with the number of tokens and without contents. It lists the first 10,000 files.
 * The sums are for all files.
 *
 * @throws {AgentError} as `contextFiles`
 */
export async function describeContext(
  appPath: string,
  globs: ContextGlobs,
  { overlay = emptyOverlay, limits = defaultLimits, ...options }: ContextOptions = {},
): Promise<Context> {
  return await inWorker('describeFiles', [appPath, { globs, overlay, limits }], within(appPath, options));
}

/** The paths of the app's files, without ignored files, secrets and links. @throws {AgentError} as `contextFiles` */
export async function fileNames(appPath: string, signal?: AbortSignal): Promise<FileNames> {
  return await inWorker('listNames', [appPath], within(appPath, { signal }));
}

/** How long the walk for rules may take, in ms. If it takes longer, only the rules at the root are read. */
const instructionsMs = 5_000;

/** The rules and skills of an app for models. @throws {AgentError} `not_found`; the reason of `signal` after an abort */
export async function instructionsOf(appPath: string, signal?: AbortSignal): Promise<Instructions> {
  try {
    return await inWorker('readInstructions', [appPath], within(appPath, { timeoutMs: instructionsMs, signal }));
  } catch (error) {
    if (!(error instanceof AgentError) || error.code !== 'limit_exceeded') throw error;
    return { rules: rulesOf(appPath, []), skills: [] };
  }
}

function within(appPath: string, { timeoutMs = readingMs, signal }: Omit<WorkOptions, 'tooLong'>): WorkOptions {
  const tooLong = (ms: number): AgentError => {
    const what = `Reading the files of ${appPath} for the prompt took longer than ${ms} ms and was stopped.`;
    return new AgentError('limit_exceeded', `${what} Leave folders out in the context of the app, or in .gitignore.`);
  };
  return { timeoutMs, signal, tooLong };
}
