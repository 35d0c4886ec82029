// The commits of a branch that changed an app.
import { walkHistory, type Commit } from './commits.ts';
import type { Repository } from './repository.ts';
import { treeIn, treeOf } from './trees.ts';

/** How long to skip commits that changed only other folders, in ms. The next search is faster, because results are cached. */
const searchingMs = 3000;

export interface History {
  commits: Commit[];
  /** Whether there are or may be older ones. */
  more: boolean;
}

/**
 * The last commits up to a given one that changed the app, the newest first, as far as a shallow clone has them. If the app
 * is a part of its repository, the search ends after 3 s.
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

/** Whether a commit changed the app. As in `git log` of a folder, a merge that took the folder from one parent did not. */
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

/** A cache of the app's folder in each commit. Commits never change, and most are read again. */
function knownTrees({ base, prefix }: Repository): Map<string, string | null> {
  const cache = base.cache as { [treesKey]?: Map<string, Map<string, string | null>> };
  const apps = (cache[treesKey] ??= new Map());
  const trees = apps.get(prefix) ?? new Map<string, string | null>();
  if (trees.size > maxKept) trees.clear();
  apps.set(prefix, trees);
  return trees;
}
