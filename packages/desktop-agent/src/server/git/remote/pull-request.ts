// Pull requests, made by `gh`, the program of GitHub, as the person has set it up.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import git from 'isomorphic-git';
import { AgentError, type PullRequest, type Result } from '../../../shared/contract/index.ts';
import { pullRequestCommand } from '../../../shared/pull-request.ts';
import { checkBranch } from '../branches/names.ts';
import { readCommit } from '../commits.ts';
import { headOf, openRepository, type Repository } from '../repository.ts';
import { commitsBetween, hasCommit } from './commits-between.ts';
import { trackedCommit, type Agreed } from './compare.ts';
import { requireRemote } from './remotes.ts';
import { personsEnvironment, runProgram } from './run-git.ts';
import { readable } from './said.ts';
import { Scratch, type ScratchOptions } from './scratch.ts';

const maxBases = 200;
const maxTitle = 300;

/** Whether `gh` is there, on the PATH. */
export function hasGh(): boolean {
  const name = process.platform === 'win32' ? 'gh.exe' : 'gh';
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * What a person may begin with: the title of the chat, and the subjects of the commits.
 *
 * @throws {AgentError} `changed` when the branch has commits that the server has not, as far as is known here; `denied` for a
 *   remote that is no repository of GitHub
 */
export async function draftPullRequest(
  appPath: string,
  { chatTitle, ...agreed }: Agreed & { chatTitle: string | undefined },
  options: ScratchOptions,
): Promise<Result<'draft-pull-request'>> {
  const repository = await openRepository(appPath);
  await using scratch = await Scratch.make(repository, options);
  const { slug, commit } = await readyFor(repository, agreed, scratch);
  const bases = await basesOf(repository, agreed);
  const [base] = bases;
  if (base === undefined) {
    const what = `${agreed.remote} has no other branch than ${agreed.branch}, as far as is known here.`;
    throw new AgentError('denied', `${what} Make a branch for the pull request, and push that.`);
  }
  const known = await trackedCommit(repository, agreed.remote, base);
  const isKnown = known !== null && (await hasCommit(scratch, known));
  const { shown } = await commitsBetween(scratch, commit, isKnown ? [known] : []);
  const subjects = isKnown ? shown.map(({ subject }) => `- ${subject}`) : [];
  const title = chatTitle ?? (await readCommit(repository, commit)).message.split('\n', 1)[0] ?? '';
  return { title: title.slice(0, maxTitle), body: subjects.toReversed().join('\n'), bases, base, repository: slug };
}

/** The branches that it may go into, that of the server's HEAD first. */
async function basesOf(repository: Repository, { remote, branch }: Agreed): Promise<string[]> {
  const names = await git.listBranches({ ...repository.base, remote }).catch((): string[] => []);
  const usual = await git
    .resolveRef({ ...repository.base, ref: `refs/remotes/${remote}/HEAD`, depth: 2 })
    .then((ref) => ref.replace(`refs/remotes/${remote}/`, ''))
    .catch(() => '');
  const rank = (name: string): number => [usual, 'main', 'master'].indexOf(name) >>> 0;
  const others = names.filter((name) => name !== 'HEAD' && name !== branch);
  return others.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)).slice(0, maxBases);
}

/**
 * Runs `gh pr create`, in an empty repository of ours.
 *
 * @returns the address of the pull request
 * @throws {AgentError} as `draftPullRequest`; `not_found` when gh is not installed; `denied` with what it said
 */
export async function createPullRequest(
  appPath: string,
  { repository: shown, title, body, draft, base: into, ...agreed }: PullRequest,
  options: ScratchOptions,
): Promise<{ url: string }> {
  const base = checkBranch(into);
  if (base === agreed.branch)
    throw new AgentError('invalid_request', `${base} cannot go into itself. Choose another one.`);
  const repository = await openRepository(appPath);
  await using scratch = await Scratch.make(repository, options);
  const { slug } = await readyFor(repository, agreed, scratch);
  if (slug !== shown) throw new AgentError('changed', 'The remote is not any more what was shown. Look at it again.');
  const command = pullRequestCommand({ repository: slug, branch: agreed.branch, base, title, draft });
  const { code, stdout, stderr } = await runProgram(command, {
    cwd: scratch.folder,
    env: { ...personsEnvironment(), ...settingsOfGh(), ...quiet, GIT_DIR: scratch.folder },
    input: body,
    signal: options.signal,
    ...(options.limits && { limits: options.limits }),
  });
  const url = /^https:\/\/[\w.-]+\/[\w./-]+$/m.exec(stdout)?.[0];
  if (code === 0 && url !== undefined) return { url };
  if (/gh auth login|not logged in|authentication token/i.test(stderr)) {
    throw new AgentError('denied', 'gh is not signed in. Run `gh auth login` in a terminal, and try again.');
  }
  throw new AgentError('denied', `gh made no pull request. It said: ${readable(`${stdout}\n${stderr}`)}`);
}

const quiet = {
  GH_PROMPT_DISABLED: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
  GH_PAGER: 'cat',
  NO_COLOR: '1',
  GIT_TERMINAL_PROMPT: '0',
};

/** Where gh keeps its settings, and the token that a person has given it. */
function settingsOfGh(): NodeJS.ProcessEnv {
  const wanted = /^(?:gh_(?:token|enterprise_token|config_dir|host)|github_(?:enterprise_)?token)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => wanted.test(name)));
}

/** @throws {AgentError} `changed` when the server does not have the branch as it is here, as far as is known */
async function readyFor(
  repository: Repository,
  agreed: Agreed,
  scratch: Scratch,
): Promise<{ slug: string; commit: string }> {
  const branch = checkBranch(agreed.branch);
  const { pushAddress } = await requireRemote(repository, agreed, scratch);
  const slug = slugOf(pushAddress.shown);
  if (slug === null) throw new AgentError('denied', `${pushAddress.shown} is no address of a repository of GitHub.`);
  const { commit } = await headOf(repository);
  if (commit === null || (await trackedCommit(repository, agreed.remote, branch)) !== commit) {
    throw new AgentError('changed', 'The server does not have these commits yet. Push them first.');
  }
  return { slug, commit };
}

/** `github.com/owner/name` of an address, also where GitHub is a server of a company. */
export function slugOf(address: string): string | null {
  const found =
    /^(?:https:\/\/|ssh:\/\/(?:[\w.-]+@)?|(?:[\w.-]+@)?)([a-z\d][a-z\d.-]*)[/:]([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/i.exec(
      address,
    );
  const [, host = '', owner = '', name = ''] = found ?? [];
  const isPlain = [host, owner, name].every((part) => /^\w/.test(part) && !/^\.+$/.test(part));
  return isPlain && host.includes('.') ? `${host}/${owner}/${name}` : null;
}
