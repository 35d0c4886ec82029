import { AgentError, type GitState } from '../../../shared/contract/index.ts';
import { listBranches } from '../branches/branches.ts';
import { shortName } from '../branches/names.ts';
import { headOf, openRepository } from '../repository.ts';
import { hasGh } from './pull-request.ts';
import { readRemotes, upstreamOf } from './remotes.ts';
import { Scratch, type ScratchOptions } from './scratch.ts';

/** What there is of branches and remotes. Asks no server. @throws {AgentError} `no_git` */
export async function readGit(appPath: string, options: ScratchOptions): Promise<GitState> {
  const repository = await openRepository(appPath);
  const { ref, commit } = await headOf(repository);
  const branch = ref === null ? null : shortName(ref);
  const { branches, more } = await listBranches(repository);
  const state = {
    root: repository.root,
    branch,
    commit,
    branches,
    more,
    remotes: [],
    upstream: null,
    noRemotes: null,
    gh: hasGh(),
  };
  try {
    await using scratch = await Scratch.make(repository, options);
    const remotes = await readRemotes(repository, scratch);
    const upstream = branch === null ? null : await upstreamOf(repository, branch, remotes);
    return { ...state, remotes, upstream };
  } catch (error) {
    if (!(error instanceof AgentError) || error.code === 'cancelled') throw error;
    return { ...state, noRemotes: error.message };
  }
}
