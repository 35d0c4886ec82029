import { AgentError, type FileDiff, type Version } from '../../contract/index.ts';

export interface RepositoryState {
  /** `ready`, or why nothing can be applied, for a person, with what to do. */
  ready: boolean;
  reason: string;
  branch: string | null;
  head: string | null;
}

/** Whether the folder itself has git. `false` for one without; a repository that we cannot work with is one. */
export async function isRepository(_appPath: string): Promise<boolean> {
  throw new AgentError('internal', 'Not built yet.');
}

/** Says whether changes can be applied to the repository, and if not, what to do. */
export async function repositoryState(_appPath: string): Promise<RepositoryState> {
  throw new AgentError('internal', 'Not built yet.');
}

/** Gives the folder git, with a first commit of its files. The caller has asked. Returns the commit. */
export async function initRepository(_appPath: string): Promise<{ commit: string; notes: string[] }> {
  throw new AgentError('internal', 'Not built yet.');
}

/** The commit that HEAD names; `null` before the first. */
export async function headCommit(_appPath: string): Promise<string | null> {
  throw new AgentError('internal', 'Not built yet.');
}

/** The last commits of the branch, newest first. `messageId` is always `null`: the caller knows it. */
export async function listVersions(_appPath: string, _options: { limit?: number } = {}): Promise<Version[]> {
  throw new AgentError('internal', 'Not built yet.');
}

/** A commit and what it changed against its first parent. @throws {AgentError} `not_found` */
export async function readVersion(_appPath: string, _commit: string): Promise<{ version: Version; files: FileDiff[] }> {
  throw new AgentError('internal', 'Not built yet.');
}

/**
 * Makes a new commit with the files of an old one. What the person had changed is committed before.
 *
 * @throws {AgentError} as `applyPlan`
 */
export async function revertToVersion(_appPath: string, _commit: string): Promise<Version> {
  throw new AgentError('internal', 'Not built yet.');
}

/** Takes back what one commit changed, by a new commit. @throws {AgentError} `changed` when a file is another by now */
export async function undoCommit(_appPath: string, _commit: string): Promise<Version> {
  throw new AgentError('internal', 'Not built yet.');
}
