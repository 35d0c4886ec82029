import type { ProblemReport } from '../../contract/index.ts';
import type { Overlay } from '../context/index.ts';

export interface FindProblemsOptions {
  /** Proposed changes, which are looked at as if they were made. Nothing is written. */
  overlay?: Overlay;
  signal?: AbortSignal;
  /**
   * Whether the app's compiler may run where there is no jail. It is a program that came with the app, so a person must
   * have said so.
   */
  allowUnjailed?: boolean;
  /** Of one check. */
  timeoutMs?: number;
}

/**
 * What the app's own TypeScript says of the app, or of what it would be with `overlay`.
 *
 * @param appPath absolute
 * @returns `unchecked` says why nothing was looked for; that is no error: an app without TypeScript has no problems
 * @throws what `signal` was aborted with
 */
export async function findProblems(appPath: string, options: FindProblemsOptions = {}): Promise<ProblemReport> {
  void [appPath, options];
  return await Promise.resolve({ problems: [], more: 0, unchecked: null });
}
