// Opens the repository of an app, and refuses one that we cannot work with.
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import git, { type PromiseFsClient } from 'isomorphic-git';
import { GitConfigManager } from 'isomorphic-git/managers';
import { FileSystem } from 'isomorphic-git/models';
import { AgentError } from '../../shared/contract/index.ts';
import { GitFiles } from './git-files.ts';
import { Objects } from './objects/objects.ts';
import { placeOf } from './place.ts';

export interface Repository {
  /** The folder of the app, absolute and free of links. All functions here take and return paths relative to it. */
  readonly app: string;
  /** The folder with `.git`: the app, or a parent folder. */
  readonly root: string;
  /** The app's path in `root`, with `/` at the end, or ''. Paths in the index and in trees are relative to `root`. */
  readonly prefix: string;
  readonly gitdir: string;
  readonly files: GitFiles;
  /** Reads commits, trees and files, with a budget for one operation. */
  readonly objects: Objects;
  /** The options of each call of isomorphic-git, which never reads objects. */
  readonly base: { fs: PromiseFsClient; gitdir: string; cache: object };
  readonly config: Config;
  /** Whether the disk has a bit that makes files executable. */
  readonly hasModes: boolean;
}

/** A value of the repository's own configuration, without includes. */
export interface Config {
  get(key: string): Promise<string | boolean | number | undefined>;
}

/** Caches of the last repositories: the index, and trees. */
const caches = new Map<string, object>();
const maxCaches = 4;

/** Drops the cache of a repository, which may have half of a change after a failure. */
export function forget(repository: Repository): void {
  for (const key of Reflect.ownKeys(repository.base.cache)) Reflect.deleteProperty(repository.base.cache, key);
}

function cacheOf(gitdir: string): object {
  const cache = caches.get(gitdir) ?? {};
  caches.delete(gitdir);
  caches.set(gitdir, cache);
  for (const oldest of caches.keys()) if (caches.size > maxCaches) caches.delete(oldest);
  return cache;
}

/** Whether the app has a repository of any kind, its own or that of a parent folder. */
export async function isRepository(appPath: string): Promise<boolean> {
  return (await placeOf(await realApp(appPath))) !== null;
}

/** The real path of an app. @throws {AgentError} `not_found` when there is no such folder */
export async function realApp(appPath: string): Promise<string> {
  const path = await realpath(appPath).catch(() => undefined);
  if (path !== undefined && (await stat(path)).isDirectory()) return path;
  throw new AgentError('not_found', `There is no folder ${appPath}. Was it moved? Add it again where it is now.`);
}

/**
 * Opens the repository of an app, to read it.
 *
 * @throws {AgentError} `not_found`, `no_git` for a folder without git, or with a repository that we cannot work with, `unsafe_path` for links
 */
export async function openRepository(appPath: string): Promise<Repository> {
  const app = await realApp(appPath);
  const place = await placeOf(app);
  if (place === null) throw noGit('This folder has no git yet. Give it one, so that each change can be taken back.');
  const { root, prefix } = place;
  const gitdir = join(root, '.git');
  await refuseForeignKinds(gitdir, prefix === '' ? 'this folder' : root);
  const files = new GitFiles(gitdir);
  const fs = files.client;
  const config = (await GitConfigManager.get({ fs: new FileSystem(fs) as never, gitdir })) as Config;
  await refuseForeignLayouts(config, files);
  const hasModes = String(await config.get('core.filemode')).toLowerCase() !== 'false';
  return {
    app,
    root,
    prefix,
    gitdir,
    files,
    objects: new Objects(files),
    base: { fs, gitdir, cache: cacheOf(gitdir) },
    config,
    hasModes,
  };
}

async function refuseForeignKinds(gitdir: string, folder: string): Promise<void> {
  const stats = await lstat(gitdir).catch(() => undefined);
  if (stats?.isFile() === true) {
    const what = `This app is in a worktree or a submodule: .git of ${folder} is a file.`;
    throw noGit(`${what} Add the repository that it belongs to.`);
  }
  if (stats?.isDirectory() !== true)
    throw noGit(`.git of ${folder} is a link. Replace it by the folder that it leads to.`);
}

/** Refuses features that isomorphic-git would misread, because writing would then break the repository. */
async function refuseForeignLayouts(config: Config, files: GitFiles): Promise<void> {
  const isTrue = async (key: string): Promise<boolean> => String(await config.get(key)).toLowerCase() === 'true';
  if (await isTrue('core.bare')) throw noGit('This repository is bare: it has no files of its own. Add a clone of it.');
  if ((await config.get('core.worktree')) !== undefined) {
    throw noGit('The files of this repository are elsewhere (core.worktree). Add a plain clone of it.');
  }
  for (const [key, what] of [
    ['extensions.objectformat', 'SHA-256 objects'],
    ['extensions.refstorage', 'refs in another format'],
    ['extensions.partialclone', 'objects that are fetched when they are needed'],
  ] as const) {
    const value = await config.get(key);
    if (value !== undefined && !['sha1', 'files'].includes(String(value))) {
      throw noGit(`This repository has ${what} (${key}), which is not supported here. Add a plain clone of it.`);
    }
  }
  if ((await isTrue('core.sparsecheckout')) || (await isTrue('index.sparse'))) {
    throw noGit('This is a sparse checkout, which is not supported here. Run `git sparse-checkout disable` first.');
  }
  const names = await readdir(files.gitdir);
  if (names.some((name) => name.startsWith('sharedindex.'))) {
    throw noGit('This repository has a split index. Run `git update-index --no-split-index` first.');
  }
  if (!names.includes('HEAD') || !names.includes('objects') || !names.includes('refs')) {
    throw noGit('.git of this folder is no repository: HEAD, objects or refs is missing.');
  }
}

const unfinished: readonly (readonly [name: string, what: string, command: string])[] = [
  ['MERGE_HEAD', 'A merge', 'git merge --continue` or `git merge --abort'],
  ['rebase-merge', 'A rebase', 'git rebase --continue` or `git rebase --abort'],
  ['rebase-apply', 'A rebase', 'git rebase --continue` or `git rebase --abort'],
  ['CHERRY_PICK_HEAD', 'A cherry-pick', 'git cherry-pick --continue` or `git cherry-pick --abort'],
  ['REVERT_HEAD', 'A revert', 'git revert --continue` or `git revert --abort'],
  ['BISECT_LOG', 'A bisection', 'git bisect reset'],
];

/** @throws {AgentError} `busy` while the person is in the middle of something that a commit would spoil */
export async function refuseUnfinished({ gitdir }: Repository): Promise<void> {
  const names = new Set(await readdir(gitdir));
  const found = unfinished.find(([name]) => names.has(name));
  if (found === undefined) return;
  const [, what, command] = found;
  throw new AgentError('busy', `${what} is under way in this repository. End it first, by \`${command}\`.`);
}

/** The note for a person whose HEAD is on no branch. */
export const detachedNote =
  'HEAD is detached: new commits belong to no branch until you make one, by `git switch -c NAME`.';

export interface Head {
  /** `refs/heads/main`; `null` when HEAD is detached. */
  ref: string | null;
  /** `null` before the first commit. */
  commit: string | null;
}

export async function headOf({ base, files, gitdir }: Repository): Promise<Head> {
  const text = (await files.read(join(gitdir, 'HEAD'))).toString('utf8').trim();
  const ref = /^ref: (refs\/[^\s]+)$/.exec(text)?.[1] ?? null;
  if (ref === null && !/^[0-9a-f]{40}$/.test(text)) throw noGit('.git/HEAD of this folder is not readable.');
  if (ref === null) return { ref, commit: text };
  const commit = await git.resolveRef({ ...base, ref }).catch((error: unknown) => {
    if (error instanceof git.Errors.NotFoundError) return null;
    throw error;
  });
  return { ref, commit };
}

function noGit(message: string): AgentError {
  return new AgentError('no_git', message);
}
