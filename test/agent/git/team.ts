// An app whose repository has a remote, and what a page does with it.
import { join } from 'node:path';
import {
  compareWithRemote,
  pullBranch,
  pushBranch,
  readGit,
} from '../../../packages/desktop-agent/src/server/git/index.ts';
import type { ScratchOptions } from '../../../packages/desktop-agent/src/server/git/remote/scratch.ts';
import type { Comparison, Joined } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import { git, newApp, newFolder, put } from '../changes/apps.ts';
import { newBare } from './servers.ts';

export const base = { 'a.txt': 'one\ntwo\nthree\nfour\nfive\n', 'b.txt': 'b\n' };

/** An app, the bare repository that it was pushed to, and a colleague's clone of that. */
export function team(files: Record<string, string> = base) {
  const [app, bare] = [newApp(files), newBare()];
  git(app, 'remote', 'add', 'origin', bare);
  git(app, 'push', '-qu', 'origin', 'main');
  const colleague = join(newFolder(), 'clone');
  git('/', 'clone', '-q', bare, colleague);
  const pushed = (changes: Record<string, string>, message: string): void => {
    commit(colleague, changes, message);
    git(colleague, 'push', '-q', 'origin', 'HEAD');
  };
  return { app, bare, colleague, pushed };
}

export function commit(folder: string, changes: Record<string, string>, message: string): void {
  put(folder, changes);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', message);
}

export const options = (more: Partial<ScratchOptions> = {}): ScratchOptions => ({ dataDir: newFolder(), ...more });

/** As the page does: what it shows is what it agrees to. */
export async function agreedOf(app: string, more: Partial<ScratchOptions> = {}) {
  const { remotes, upstream } = await readGit(app, options(more));
  const found = remotes.find(({ name }) => name === upstream?.remote);
  if (found === undefined || upstream === null) throw new Error('There is no remote.');
  return { remote: found.name, url: found.url, pushUrl: found.pushUrl, branch: upstream.branch };
}

export async function compare(app: string, more: Partial<ScratchOptions> = {}): Promise<Comparison> {
  return await compareWithRemote(app, await agreedOf(app), options(more));
}

export async function push(app: string): Promise<Comparison> {
  const seen = await compare(app);
  await pushBranch(app, { ...(await agreedOf(app)), ...seen }, options());
  return seen;
}

export async function pull(app: string): Promise<Joined> {
  const { ours, theirs } = await compare(app);
  const { remote, branch } = await agreedOf(app);
  return await pullBranch(app, { remote, branch, ours, theirs: theirs ?? '' }, options());
}

export const head = (folder: string, ref = 'HEAD'): string => git(folder, 'rev-parse', ref).trim();
