import { AgentError } from '../../../shared/contract/index.ts';
import { withApp, type WriteOptions } from '../../changes/writing.ts';
import { inWorker } from '../../worker/index.ts';
import { commitOwnChanges, ownChanges } from '../commit.ts';
import { moveTo, refuseLosses, untouched } from '../move.ts';
import { headOf, openRepository } from '../repository.ts';
import { commitOf } from './branches.ts';
import { checkBranch } from './names.ts';

/**
 * Makes another branch the current one, with its files: all or nothing. What the person has changed is committed first, on
 * the branch that they leave. Of a package the whole repository is switched.
 *
 * @throws {AgentError} `not_found`; `busy` where HEAD is on no branch; `changed` when files would be lost; as `moveTo`
 */
export async function switchBranch(appPath: string, typed: string, options: WriteOptions = {}): Promise<void> {
  const name = checkBranch(typed);
  const { root } = await openRepository(appPath);
  await withApp(root, options, async ({ repository }) => {
    const target = await commitOf(repository, name);
    if (target === null) throw new AgentError('not_found', `There is no branch ${name} any more.`);
    const before = await headOf(repository);
    if (before.ref === `refs/heads/${name}`) return { personCommit: null, notes: [] };
    if (before.ref === null || before.commit === null) {
      const what = 'HEAD is on no branch with a commit, and commits that no branch has would be hard to find again.';
      throw new AgentError('busy', `${what} Make a branch first, or switch in a terminal.`);
    }
    const tree = await inWorker('treeOfCommit', [root, target]);
    // Before a commit is made for it, in vain.
    await refuseLosses(repository, (await ownChanges(repository)).tip.commit, tree);
    const { commit, notes } = await commitOwnChanges(repository);
    const head = { ...before, commit: commit ?? before.commit };
    await moveTo(repository, { before: untouched(head), commit: target, tree, ref: `refs/heads/${name}`, message: '' });
    return { personCommit: commit, notes };
  });
}
