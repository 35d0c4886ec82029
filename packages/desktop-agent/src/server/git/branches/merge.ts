import type { Joined } from '../../../shared/contract/index.ts';
import type { WriteOptions } from '../../changes/writing.ts';
import { join } from '../remote/join.ts';
import type { ScratchOptions } from '../remote/scratch.ts';
import { requireCommit } from './branches.ts';
import { checkBranch } from './names.ts';

/** Joins another branch with the current one. @throws {AgentError} `not_found`, `changed`, and as `join` */
export async function mergeBranch(
  appPath: string,
  { name: typed, commit }: { name: string; commit: string },
  options: ScratchOptions & WriteOptions,
): Promise<Joined> {
  const name = checkBranch(typed);
  const check = async (repository: Parameters<typeof requireCommit>[0]): Promise<void> => {
    await requireCommit(repository, name, commit);
  };
  return await join(appPath, { ours: null, theirs: commit, message: `Merge branch '${name}'`, check }, options);
}
