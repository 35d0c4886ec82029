import { AgentError, type Joined } from '../../../shared/contract/index.ts';
import type { WriteOptions } from '../../changes/writing.ts';
import { checkBranch } from '../branches/names.ts';
import { trackedCommit } from './compare.ts';
import { join } from './join.ts';
import type { ScratchOptions } from './scratch.ts';

export interface Fetched {
  remote: string;
  branch: string;
  ours: string;
  theirs: string;
}

/**
 * Joins the current branch with what a comparison has fetched. Asks no server.
 *
 * @throws {AgentError} `changed` when another comparison has fetched other commits since; as `join`
 */
export async function pullBranch(
  appPath: string,
  { remote, branch: name, ours, theirs }: Fetched,
  options: ScratchOptions & WriteOptions,
): Promise<Joined> {
  const branch = checkBranch(name);
  const message = `Merge remote-tracking branch '${checkBranch(remote)}/${branch}'`;
  const check = async (repository: Parameters<typeof trackedCommit>[0]): Promise<void> => {
    if ((await trackedCommit(repository, remote, branch)) === theirs) return;
    throw new AgentError('changed', 'The server has other commits than those that were shown. Look again.');
  };
  return await join(appPath, { ours, theirs, message, check }, options);
}
