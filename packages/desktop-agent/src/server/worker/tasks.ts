// All that runs in worker threads, because much of it would block the main thread: comparing texts, reading repositories
// and lists of 100,000 files, matching patterns of a stranger. Each task takes and returns plain data, and its first
// argument is the folder of the app. Tests call the same functions directly.
import { reviewedDiff } from '../changes/diff.ts';
import { editProposed } from '../changes/edit-proposed.ts';
import { mergedSince } from '../changes/merge.ts';
import { propose } from '../changes/proposal.ts';
import { describeFiles, listNames, readFiles, readInstructions } from '../context/reading.ts';
import { commitFiles, findOwnChanges } from '../git/commit-files.ts';
import { containedIn } from '../git/contained.ts';
import { writeIndex } from '../git/index-entries.ts';
import { committedFiles, knownPaths } from '../git/known-paths.ts';
import { ownChangesTowards, planMove, treeOfCommit, writeMerge } from '../git/move-plan.ts';
import { ignoresAll } from '../git/not-kept.ts';
import { lookBack, planReversal } from '../git/reversal.ts';
import { findVersions, listVersions, readVersion } from '../git/versions.ts';
import { searchFiles } from '../search/search-files.ts';

export const tasks = {
  commitFiles,
  committedFiles,
  containedIn,
  describeFiles,
  editProposed,
  findOwnChanges,
  findVersions,
  ignoresAll,
  knownPaths,
  listNames,
  listVersions,
  lookBack,
  mergedSince,
  ownChangesTowards,
  planMove,
  planReversal,
  propose,
  readFiles,
  readInstructions,
  readVersion,
  reviewedDiff,
  searchFiles,
  treeOfCommit,
  writeIndex,
  writeMerge,
} satisfies Record<string, (appPath: string, ...rest: never[]) => unknown>;

export type Tasks = typeof tasks;
export type TaskName = keyof Tasks;
