import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import git from 'isomorphic-git';
import { AgentError } from '../../shared/contract/index.ts';
import { asWriter } from '../writer.ts';
import { explained } from './errors.ts';
import { commitOwnChanges, moveHead, writeCommit } from './commit.ts';
import { GitFiles } from './git-files.ts';
import { placeOf, repositoryAbove } from './place.ts';
import { headOf, openRepository, realApp } from './repository.ts';

/** Files that programs make and that would bloat the history. In a folder without a `.gitignore` all would be committed. */
const usualNames = `# What programs make. Written by mustard-agent, when it began this history.
node_modules/
.venv/
venv/
__pycache__/
dist/
.next/
.DS_Store
`;

const begun = 'Begin the history of this app';

/**
 * Makes a repository with a first commit of the folder's files. Files with the names of secrets are left out and reported.
 * The caller has asked the person. An existing repository only gets a first commit if it has none.
 *
 * @throws {AgentError} `not_found`, `no_git` for a repository that we cannot work with
 */
export async function initRepository(appPath: string): Promise<{ commit: string; notes: string[] }> {
  const app = await realApp(appPath);
  const isNew = (await placeOf(app)) === null;
  if (isNew) {
    const gitdir = join(app, '.git');
    const files = new GitFiles(gitdir);
    await files.makePlainFolder(gitdir);
    await git.init({ fs: files.client, gitdir, dir: app, defaultBranch: 'main' });
    await files.makePlainFolder(join(gitdir, 'info'));
    const hasOwn = await lstat(join(app, '.gitignore')).then(
      () => true,
      () => false,
    );
    // An existing list shows what the person wants.
    if (!hasOwn) await files.write(join(gitdir, 'info', 'exclude'), usualNames);
  }
  const begin = async (): Promise<{ commit: string; notes: string[] }> => {
    const repository = await openRepository(app);
    const before = await headOf(repository);
    if (before.commit !== null) return { commit: before.commit, notes: [] };
    const { commit, notes } = await commitOwnChanges(repository, begun);
    const around = isNew ? repositoryAbove(app) : null;
    if (around !== null)
      notes.push(`This folder lies in the repository ${around}, which sees it as one of its own from now on.`);
    if (commit !== null) return { commit, notes };
    const first = await writeCommit(repository, before, new Map(), { message: begun, evenIfSame: true });
    if (first === null) throw new AgentError('internal', 'The first commit was not made.');
    await moveHead(repository, before, first);
    return { commit: first, notes };
  };
  return explained(() => asWriter(app, {}, begin));
}
