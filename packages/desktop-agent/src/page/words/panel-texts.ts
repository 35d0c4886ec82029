// Diffs and what stands in the panel.
import { counted } from './plural.ts';

export const panelTexts = {
  // Diffs.
  changes: { added: 'added', changed: 'changed', deleted: 'deleted', renamed: 'renamed' },
  diffFiles: 'Changed files',
  diffHidden: { binary: 'A binary file. Its lines are not shown.', large: 'Too large to show here.' },
  diffUnshown: (count: number) =>
    `A large change: ${counted(count, 'changed line')} of it cannot be shown here, or only in part. Below is its beginning.`,
  diffEmpty: 'No lines changed.',
  diffRuns: (why: string) => `Look closely: ${why}.`,
  diffCounts: (added: number, removed: number) => `${counted(added, 'line')} added, ${removed} removed`,
  diffKeys: 'j and k go to the next and the last file, o opens and closes one',
  diffOf: (path: string) => `Changes of ${path}`,
  renamedFrom: (from: string, to: string) => `${from} → ${to}`,

  // The panel.
  panel: 'Panel',
  showPanel: 'Show the panel',
  hidePanel: 'Hide the panel',
  tabs: {
    changes: 'Changes',
    files: 'Files',
    versions: 'Versions',
    context: 'Context',
    problems: 'Problems',
    workspace: 'Workspace',
  },

  // The workspace of the chat.
  workspaceIntro:
    'Commands of this chat run in a copy of the app. What they change stays there until you take it over.',
  workspaceEmpty: 'No command has run in this chat',
  workspaceEmptyHint: 'The first one gets a copy of the app to work in. Its files appear here.',
  takeOver: 'Take over changes',
  tookOver: 'The changes of the workspace are proposed. Nothing is written before you approve them.',
  download: 'Download',
  allWorkspaceFiles: 'All files',
  fileCut: (shown: string, all: string) => `The first ${shown} of ${all}. Download the file to see all of it.`,
  fileBinary: 'This is not a text file. Download it to look at it.',

  // Files.
  filesFilter: 'Find a file',
  filesNone: 'No file has a name like this.',
  filesEmpty: 'This folder has no files yet.',
  filesTruncated: 'There are more files than are listed. Find one by its name.',
  backToFiles: 'All files',
  save: 'Save and commit',
  saved: 'Saved',
  nothingToSave: 'There is nothing to save.',
  savedAs: (hash: string) => `Saved as ${hash}`,
  unsaved: 'Not saved',
  fileChanged: 'The file was changed on the disk since you opened it',
  fileChangedHint: 'Your text is still here. Copy what you need, or load the file again.',
  overwrite: 'Save over it',
  reload: 'Load again',

  // Versions.
  versionsEmpty: 'No versions yet',
  versionsEmptyHint: 'Each change that is applied or saved becomes a version. You can look at it and go back.',
  versionsOfFolder: (repository: string) => `The commits of ${repository} that change this folder`,
  versionsOfChat: 'Only this chat',
  versionsNoneNear: 'None of the last commits changes this folder. There are older ones in git.',
  versionsMore: (count: number) => `These are the last ${counted(count, 'version')}. There are older ones in git.`,
  versionsNoneOfChat: 'This chat has no version among these.',
  versionMore: (count: number) => `${counted(count, 'more changed file')} of this version cannot be shown here.`,
  undoTurn: 'Undo the last turn',
  redoTurn: 'Redo',
  redone: 'Applied it again, in a new version',
  undone: 'Took back the last turn, in a new version',
  goBack: 'Go back to this version',
  goBackTitle: 'Go back to this version?',
  goBackBody: 'This makes a new version with the files of this one. Nothing is lost: you can return in the same way.',
  wentBack: 'Went back, in a new version',
  allVersions: 'All versions',
  versionBy: (author: string) => `by ${author}`,
  fromChat: 'from this agent',

  // Context.
  contextIntro: 'What goes into the prompt of Ask and Build.',
  include: 'Include',
  exclude: 'Exclude',
  globHint: 'One pattern a line, such as src/**/*.ts',
  strict: 'Only what is included',
  strictHint: 'If this is off, the patterns add to the files that the agent chooses.',
  contextSave: 'Save patterns',
  contextSaved: 'Saved',
  tokens: (count: number) => counted(count, 'token'),
  contextTotal: (files: number, tokens: number) => `${counted(files, 'file')}, ${counted(tokens, 'token')}`,
  contextOmitted: (count: number) => `${counted(count, 'file')} left out`,
  omitted: { 'too-large': 'too large', binary: 'binary', limit: 'over the limit' },
  contextRules: (tokens: number, cut: boolean) =>
    `AI_RULES.md goes into every prompt, too: ${counted(tokens, 'token')}${cut ? '. It is too long, so its end is left out' : ''}.`,
  contextIncomplete: 'This app has more than 100,000 files. Those after the first 100,000 are not in the prompt.',
  contextListed: (count: number) => `Only the first ${counted(count, 'file')} are listed. The numbers count all files.`,
  contextEmpty: 'No file goes into the prompt.',

  // Problems.
  checkAgain: 'Check again',
  checking: 'Checking the app…',
  checkFirst: 'Check the app with its own TypeScript.',
  check: 'Check for problems',
  checkUnjailed: 'Check it without a sandbox',
  checkWithAllRights: 'Run it with all of my rights',
  moreProblems: (count: number) => `and ${counted(count, 'more problem')}`,
} as const;
