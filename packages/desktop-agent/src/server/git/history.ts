// The commits of a branch that an app is made of.
import { walkHistory, type Commit } from './commits.ts';
import type { Repository } from './repository.ts';
import { treeIn, treeOf } from './trees.ts';

/** How long commits that changed other folders are passed by. The next time it goes on faster: what was read is kept. */
const searchingMs = 3000;

export interface History {
  commits: Commit[];
  /** Whether there are, or may be, older ones. */
  more: boolean;
}

/**
 * The last commits that lead to one and changed the app, the newest first, as far as a shallow clone has them. Where the app
 * is a part of its repository, they are looked for during 3 s.
 */
export async function historyOf(repository: Repository, from: string, limit: number): Promise<History> {
  const commits: Commit[] = [];
  const end = repository.prefix === '' ? Infinity : performance.now() + searchingMs;
  for await (const commit of walkHistory(repository, from)) {
    if (await changesApp(repository, commit)) {
      if (commits.length === limit) return { commits, more: true };
      commits.push(commit);
    }
    if (performance.now() > end) return { commits, more: true };
  }
  return { commits, more: false };
}

/** As for `git log` of a folder: a merge that took it from one of its parents as it was there has not changed it. */
async function changesApp(repository: Repository, commit: Commit): Promise<boolean> {
  if (repository.prefix === '') return true;
  const known = knownTrees(repository);
  const tree = known.get(commit.oid) ?? (await treeIn(repository, commit));
  known.set(commit.oid, tree);
  if (commit.parent.length === 0) return tree !== null;
  for (const parent of commit.parent) {
    const other = known.has(parent) ? known.get(parent) : await treeOf(repository, parent);
    known.set(parent, other ?? null);
    if (other === tree) return false;
  }
  return true;
}

const treesKey = Symbol('trees of the apps');
const maxKept = 100_000;

/** The folder of the app in each commit that was looked at: commits never change, and most are looked at again. */
function knownTrees({ base, prefix }: Repository): Map<string, string | null> {
  const cache = base.cache as { [treesKey]?: Map<string, Map<string, string | null>> };
  const apps = (cache[treesKey] ??= new Map());
  const trees = apps.get(prefix) ?? new Map<string, string | null>();
  if (trees.size > maxKept) trees.clear();
  apps.set(prefix, trees);
  return trees;
}
