// Runs in a worker thread: a pattern can take any time, and an app can have 100,000 files.
import { FolderFiles } from '@mustard-sandbox/paths';
import type { FileMatch, Result } from '../../shared/contract/index.ts';
import { isBinary } from '../changes/diff.ts';
import { rulesAround, walk } from '../context/walk.ts';
import { realApp } from '../git/repository.ts';
import { matcherOf, type Query } from './matcher.ts';

export interface FileSearch extends Query {
  /** After this many ms of searching what was found is the answer. */
  stopAfterMs: number;
}

const maxMatches = 500;
const maxFileBytes = 1024 * 1024;
const tool = 'search';
/** Lines are looked through this often before the time is asked for. */
const linesAtOnce = 1000;

/** The lines of an app's files that match, by path: those that git ignores, secrets, links and binary files are left out. */
export async function searchFiles(
  appPath: string,
  { stopAfterMs, ...query }: FileSearch,
): Promise<Result<'search-files'>> {
  const match = matcherOf(query);
  const app = await realApp(appPath);
  const files = new FolderFiles(app, { refuseSecrets: true });
  const { found, complete } = walk(files, undefined, rulesAround(app));
  // To list 100,000 files takes seconds on a slow machine: with those counted, nothing would be found.
  const stopAt = Date.now() + stopAfterMs;
  const matches: FileMatch[] = [];
  let skipped = 0;
  for (const { path, stats } of found.sort((a, b) => (a.path < b.path ? -1 : 1))) {
    if (stats.size > maxFileBytes) {
      skipped += 1;
      continue;
    }
    for (const [index, line] of linesOf(files, path).entries()) {
      if (index % linesAtOnce === 0 && Date.now() > stopAt) return { matches, cut: 'time', skipped };
      const excerpt = match(line);
      if (excerpt === undefined) continue;
      if (matches.length === maxMatches) return { matches, cut: 'matches', skipped };
      matches.push({ path, line: index + 1, ...excerpt });
    }
  }
  return { matches, cut: complete ? null : 'files', skipped };
}

/** A file that has gone meanwhile, or cannot be read, has none. */
function linesOf(files: FolderFiles, path: string): string[] {
  try {
    const { bytes } = files.read(path, maxFileBytes, tool);
    return isBinary(bytes) ? [] : bytes.toString('utf8').split(/\r?\n/);
  } catch {
    return [];
  }
}
