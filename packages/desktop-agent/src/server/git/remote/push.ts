import { join } from 'node:path';
import { AgentError } from '../../../shared/contract/index.ts';
import { withApp } from '../../changes/writing.ts';
import { checkBranch, isBranchName, shortName } from '../branches/names.ts';
import { headOf, openRepository, type Repository } from '../repository.ts';
import { countBetween, hasCommit } from './commits-between.ts';
import { track, type Agreed } from './compare.ts';
import { requireRemote } from './remotes.ts';
import { failureOf, readable } from './said.ts';
import { remoteName, Scratch, type ScratchOptions } from './scratch.ts';

/** What a person has seen of the commits: see `Comparison`. */
export interface Compared {
  ours: string;
  theirs: string | null;
}

/**
 * Sends the commits that a comparison showed to a branch of a server, which only ever goes on.
 *
 * @throws {AgentError} `changed` when something is another one than it was shown; `denied`, `not_found`, `limit_exceeded` and
 *   `internal` with what git or the server said
 */
export async function pushBranch(appPath: string, agreed: Agreed & Compared, options: ScratchOptions): Promise<void> {
  const branch = checkBranch(agreed.branch);
  const { ours, theirs } = agreed;
  const repository = await openRepository(appPath);
  const head = await headOf(repository);
  if (head.commit !== ours) {
    throw new AgentError('changed', 'This branch has other commits than those that were shown. Look again.');
  }
  await using scratch = await Scratch.make(repository, options);
  const { pushAddress } = await requireRemote(repository, agreed, scratch);
  if (theirs !== null) {
    if (!(await hasCommit(scratch, theirs)) || (await countBetween(scratch, theirs, ours)) > 0) throw pullFirst(branch);
    await scratch.keep('there', theirs);
  }
  // The server's branch has to be what was compared with, which ours goes on from: so this option forces nothing, and a
  // server that now says that it has less does not get more than was shown.
  const lease = `--force-with-lease=refs/heads/${branch}:${theirs ?? ''}`;
  const flags = [
    '--porcelain',
    '--progress',
    '--no-verify',
    '--no-follow-tags',
    '--recurse-submodules=no',
    '--no-signed',
  ];
  const refspec = `${ours}:refs/heads/${branch}`;
  const { code, stdout, stderr } = await scratch.talk(['push', ...flags, lease, remoteName, refspec], pushAddress);
  const [, mark, why = ''] = /^([ +*=!-])\t[^\t\n]*\t(.*)$/m.exec(stdout) ?? [];
  if (mark === '!') throw refusedBy(why, branch, stderr);
  if (code !== 0 || mark === undefined) throw failureOf('Pushing to', pushAddress.shown, stderr);
  await remember(repository, agreed, head.ref);
}

function refusedBy(why: string, branch: string, stderr: string): AgentError {
  if (/fetch first|non-fast-forward|stale info/.test(why)) return pullFirst(branch);
  const said = readable(`${why}\n${stderr.replaceAll(/^(?:error|To|fatal).*$/gm, '')}`);
  return new AgentError('denied', `The server refused the commits, so nothing was pushed. It said: ${said}`);
}

function pullFirst(branch: string): AgentError {
  const what = `The server has commits in ${branch} that are not here, so nothing was pushed.`;
  return new AgentError('changed', `${what} Look again and pull them first.`);
}

/** As `git push --set-upstream` does. What was pushed is pushed, so a failure here is none of the push. */
async function remember(
  { root }: Repository,
  { remote, branch, ours }: Agreed & Compared,
  ref: string | null,
): Promise<void> {
  const write = withApp(root, {}, async ({ repository }) => {
    await track(repository, remote, branch, ours);
    const name = ref === null ? '' : shortName(ref);
    if (isBranchName(name) && (await repository.config.get(`branch.${name}.remote`)) === undefined) {
      const { files, gitdir } = repository;
      const place = join(gitdir, 'config');
      const section = `[branch "${name}"]\n\tremote = "${remote}"\n\tmerge = "refs/heads/${branch}"\n`;
      const text = (await files.read(place)).toString('utf8');
      await files.write(place, `${text.replace(/\n?$/, '\n')}${section}`);
    }
    return { personCommit: null, notes: [] };
  });
  await write.catch(() => {});
}
