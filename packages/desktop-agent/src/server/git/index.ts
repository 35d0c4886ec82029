import { detachedNote, headOf, isRepository, openRepository, refuseUnfinished } from './repository.ts';
import { AgentError } from '../../shared/contract/index.ts';

export { containedIn } from './contained.ts';
export { initRepository } from './init.ts';
export { isRepository } from './repository.ts';
export { undoOf } from './reversal.ts';
export { ignoresAll } from './not-kept.ts';
export { createBranch, createChatBranch, deleteBranch, restoreBranch } from './branches/branches.ts';
export { mergeBranch } from './branches/merge.ts';
export { switchBranch } from './branches/switch.ts';
export { bringInCopy, checkCopyable, commitCopy, compareCopy } from './copies/copies.ts';
export { compareWithRemote } from './remote/compare.ts';
export { pullBranch } from './remote/pull.ts';
export { createPullRequest, draftPullRequest } from './remote/pull-request.ts';
export { pushBranch } from './remote/push.ts';
export { readGit } from './remote/state.ts';
export { redoCommit, revertToVersion, undoCommit } from './revert.ts';
export { rememberJoin, undoJoin } from './undo-join.ts';
export { findVersions, listVersions, readVersion } from './versions.ts';

export interface RepositoryState {
  /** Whether changes can be applied. */
  ready: boolean;
  /** If not, why, and what to do, for a person. Of a detached HEAD: what that means. */
  reason: string;
  /** `null` when HEAD is detached. */
  branch: string | null;
  head: string | null;
}

/** Says whether changes can be applied to the repository of an app, and if not, what to do. */
export async function repositoryState(appPath: string): Promise<RepositoryState> {
  if (!(await isRepository(appPath)))
    return { ready: false, reason: 'This folder has no git yet.', branch: null, head: null };
  try {
    const repository = await openRepository(appPath);
    const { ref, commit } = await headOf(repository);
    await refuseUnfinished(repository);
    return {
      ready: true,
      reason: ref === null ? detachedNote : '',
      branch: ref?.replace(/^refs\/heads\//, '') ?? null,
      head: commit,
    };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return { ready: false, reason: error.message, branch: null, head: null };
  }
}

/** The commit that HEAD names; `null` before the first. @throws {AgentError} `no_git` */
export async function headCommit(appPath: string): Promise<string | null> {
  return (await headOf(await openRepository(appPath))).commit;
}
