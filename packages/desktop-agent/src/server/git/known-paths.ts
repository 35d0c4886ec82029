import { ignoredBy } from './ignored.ts';
import { readIndex, type IndexEntry } from './index-entries.ts';
import { openRepository } from './repository.ts';
import { filesOf, treeOf, type TreeFile } from './trees.ts';

/** What git knows about some paths of an app. */
export interface KnownPaths {
  tracked: ReadonlyMap<string, IndexEntry>;
  /** The paths that it ignores and does not track. */
  ignored: ReadonlySet<string>;
}

export async function knownPaths(appPath: string, paths: readonly string[]): Promise<KnownPaths> {
  const repository = await openRepository(appPath);
  const isIgnored = await ignoredBy(repository);
  const wanted = new Set(paths);
  const entries = (await readIndex(repository)).filter(({ path }) => wanted.has(path));
  const tracked = new Map(entries.map((entry) => [entry.path, entry]));
  return { tracked, ignored: new Set(paths.filter((path) => !tracked.has(path) && isIgnored(path))) };
}

/** The files of a commit at some paths. @param commit `null` before the first commit */
export async function committedFiles(
  appPath: string,
  commit: string | null,
  paths: readonly string[],
): Promise<ReadonlyMap<string, TreeFile>> {
  const repository = await openRepository(appPath);
  const files = await filesOf(repository, await treeOf(repository, commit));
  const wanted = new Set(paths);
  return new Map([...files].filter(([path]) => wanted.has(path)));
}
