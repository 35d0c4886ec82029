// Runs in a worker thread, because a pattern can take any time and an app can have 100,000 files.
import { FolderFiles } from '@mustard-sandbox/paths';
import type { FileMatch, Result } from '../../shared/contract/index.ts';
import { isBinary } from '../changes/diff.ts';
import { rulesAround, walk } from '../context/walk.ts';
import { realApp } from '../git/repository.ts';
import { matcherOf, type Query } from './matcher.ts';

export interface FileSearch extends Query {
  /** After this time of searching, in ms, the search answers with what it has found. */
  stopAfterMs: number;
}

const maxMatches = 500;
const maxFileBytes = 1024 * 1024;
const tool = 'search';
/** How many lines are searched between two looks at the clock. */
const linesAtOnce = 1000;

/** The matching lines of an app's files, by path, without ignored files, secrets, links and binary files. */
export async function searchFiles(
  appPath: string,
  { stopAfterMs, ...query }: FileSearch,
): Promise<Result<'search-files'>> {
  const match = matcherOf(query);
  const app = await realApp(appPath);
  const files = new FolderFiles(app, { refuseSecrets: true });
  const { found, complete } = walk(files, undefined, rulesAround(app));
  // The time begins after the listing, which takes seconds for 100,000 files on a slow machine.
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

/** The lines of a file. One that has gone or cannot be read has none. */
function linesOf(files: FolderFiles, path: string): string[] {
  try {
    const { bytes } = files.read(path, maxFileBytes, tool);
    return isBinary(bytes) ? [] : bytes.toString('utf8').split(/\r?\n/);
  } catch {
    return [];
  }
}
