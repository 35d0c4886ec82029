// Branches, and what goes to a server and comes from it.
import { counted } from './plural.ts';

const commits = (count: number): string => counted(count, 'commit');

export const gitTexts = {
  gitBranch: 'Branch',
  gitDetached: (commit: string) => `no branch, at ${commit}`,
  gitUnborn: (branch: string) => `${branch}, without a commit yet`,
  gitNoRemote: 'No remote. Add one in a terminal: git remote add origin ADDRESS',
  gitWhere: (remote: string, branch: string, url: string) => `${remote}/${branch} at ${url}`,
  gitSync: 'Push or pull…',
  gitNoBranch: 'There is no branch with a commit.',

  syncTitle: (branch: string, remote: string, there: string) => `${branch} here and ${remote}/${there}`,
  syncRemote: 'Remote',
  syncPushTo: (url: string) => `Pushes go to ${url}.`,
  syncAsk: (url: string) => `Asking ${url} which commits it has.`,
  syncPulling: 'The commits are being joined with yours.',
  syncPushing: (url: string) => `Sending the commits to ${url}.`,
  syncProgress: (phase: string, percent: number) => `${phase}, ${percent} %`,
  syncEqual: 'Both have the same commits.',
  syncIncoming: (count: number) => `${commits(count)} to pull`,
  syncOutgoing: (count: number) => `${commits(count)} to push`,
  syncMore: (count: number) => `and ${commits(count)} more`,
  syncNew: (branch: string, remote: string) => `${remote} has no branch ${branch} yet. Pushing makes it.`,
  syncNewCommits: (count: number) => `${commits(count)} that none of its branches had when they were last looked at`,
  syncRewritten: (count: number) =>
    `Somebody has rewritten the branch at the server: ${commits(count)} that it had are gone from it. If you have them, pulling and then pushing brings them back.`,
  syncOwn: 'What you have changed by hand in the same files is committed first. All of it is pulled or nothing.',
  pull: (count: number) => `Pull ${commits(count)}`,
  push: (count: number) => `Push ${commits(count)}`,
  pushNew: 'Make the branch',
  pushFirstPull: 'The server has commits that are not here. Pull them first.',
  pulled: (count: number) => `Pulled ${commits(count)}`,
  pullNothing: 'There was nothing to pull any more.',
  pushed: (count: number, where: string) => `Pushed ${commits(count)} to ${where}`,
  pullUndone: 'The branch is what it was before',
  syncConflicts: 'Nothing was changed: both sides have changed the same lines',
  syncConflictsHint: 'Merge these files with git in a terminal, or change yours so that they fit:',
  syncAgain: 'Look again',
} as const;
