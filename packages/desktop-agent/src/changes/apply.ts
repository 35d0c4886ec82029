import { AgentError } from '../contract/index.ts';
import type { Plan } from './plan.ts';

export interface ApplyOptions {
  signal?: AbortSignal;
  /** Whether install scripts of the packages may run. The caller has asked. Default: no. */
  installScripts?: boolean;
  /** What the package manager prints, for a person. */
  onOutput?: (text: string) => void;
}

export interface Applied {
  /** `null` when nothing that git would keep was changed. */
  commit: string | null;
  /** The commit of what the person had changed before, made first; `null` when there was nothing. */
  personCommit: string | null;
  /** For a person: what was left alone and why. */
  notes: string[];
}

/**
 * Applies a plan, all or nothing: deletions, renames, writes, dependencies, and one commit. The caller has asked the
 * person, for the dependencies too. Waits for other writers of this app.
 *
 * @throws {AgentError} `changed`, `unsafe_path`, `busy`, `no_git`, `denied`, `disk_full`, `limit_exceeded`, `internal`;
 *   then the files and the commits are as before, but for the commit of the person's own changes
 */
export async function applyPlan(_appPath: string, _plan: Plan, _options: ApplyOptions = {}): Promise<Applied> {
  throw new AgentError('internal', 'Not built yet.');
}
