import { AgentError, type Joined } from '../../shared/contract/index.ts';
import { withApp, type WriteOptions } from '../changes/writing.ts';
import { inWorker } from '../worker/index.ts';
import { writingMs } from './commit.ts';
import { moveTo, untouched } from './move.ts';
import { headOf, openRepository } from './repository.ts';

/** What joined commits into the branches of each repository last, by its folder. */
const last = new Map<string, { commit: string; before: string }>();

/** Of this start of the program: later, a person goes back by a version. */
export async function rememberJoin(appPath: string, joined: Joined): Promise<void> {
  if (joined.outcome === 'joined') last.set((await openRepository(appPath)).root, joined);
}

/**
 * Makes the branch what it was before it was joined. The commits that it then lacks are still those of the other side.
 *
 * @throws {AgentError} `changed` when something came after; as `moveTo`
 */
export async function undoJoin(appPath: string, commit: string, options: WriteOptions): Promise<void> {
  const { root } = await openRepository(appPath);
  await withApp(root, options, async ({ repository }) => {
    const head = await headOf(repository);
    const known = last.get(root);
    if (head.ref === null || known?.commit !== commit || head.commit !== commit) {
      throw new AgentError(
        'changed',
        'Other commits came after, so this is not taken back. Go back to a version instead.',
      );
    }
    const tree = await inWorker('treeOfCommit', [root, known.before]);
    const { files } = await inWorker('ownChangesTowards', [root, head, tree], { timeoutMs: writingMs });
    const [path] = files.keys();
    if (path !== undefined) {
      throw new AgentError(
        'changed',
        `You have changed ${path} since, so this is not taken back. Commit or undo that first.`,
      );
    }
    await moveTo(repository, { before: untouched(head), commit: known.before, tree, ref: head.ref, message: '' });
    last.delete(root);
    return { personCommit: null, notes: [] };
  });
}
