import { join } from 'node:path';
import { entriesOf } from './raw-paths.ts';

/** The parts of a repository that may name programs. */
const runningParts: ReadonlySet<string> = new Set(['config', 'config.worktree', 'commondir', 'hooks']);
/** The file that makes a folder a repository, even one that is not called `.git`. */
export const repositoryMark = 'HEAD';
/** A repository's own folders. Submodules are not in them, because git refuses a submodule within another. */
const ownFolders: ReadonlySet<string> = new Set(['objects', 'refs', 'logs', 'info', 'lfs', 'hooks', 'branches']);

/** A folder in which git may look for a repository. All paths are raw. */
export interface GitFolder {
  path: string;
  /** Those of `runningParts` that it has. */
  parts: string[];
  /** Entries that are links, although git would look for a repository or a part of one there. */
  links: string[];
}

/** Whether a file or folder of this name may name programs when it lies beside `repositoryMark`. */
export function isRunningPart(name: string): boolean {
  return runningParts.has(name);
}

/**
 * The folders of a repository, outer ones first: `.git`, and below it those of its submodules and worktrees, which have
 * a configuration of their own. No link is followed.
 *
 * @param root absolute and free of links
 * @param git the folder `.git`, relative to `root` like all paths of the answer
 */
export function* gitFoldersIn(root: string, git: string): Generator<GitFolder, void, undefined> {
  const open = [git];
  for (let folder; (folder = open.pop()) !== undefined;) {
    const path = folder;
    const entries = entriesOf(join(root, path));
    const isRepository = entries.some(({ name }) => name === repositoryMark);
    const inner = entries.filter(({ name }) =>
      path === git ? name === 'modules' || name === 'worktrees' : !isRepository || !ownFolders.has(name),
    );
    const parts = entries.filter(({ name }) => isRunningPart(name));
    const links = [...inner, ...parts].filter((entry) => entry.isSymbolicLink());
    yield {
      path,
      parts: parts.map(({ name }) => join(path, name)),
      links: [...new Set(links.map(({ name }) => join(path, name)))],
    };
    for (const entry of inner) if (entry.isDirectory()) open.push(join(path, entry.name));
  }
}
