// New apps, what is done with an app, its files by hand, and the search.
import type { TemplateName } from '../../shared/contract/index.ts';
import { counted } from './plural.ts';

const templates: Record<TemplateName, { name: string; about: string }> = {
  'vite-react': { name: 'Page', about: 'Vite, React and TypeScript. It needs packages from npm.' },
  'node-service': { name: 'Service', about: 'An HTTP server on Node alone, with tests.' },
  'python-script': { name: 'Script', about: 'A Python program for the terminal, with tests.' },
  'data-notebook': { name: 'Data folder', about: 'A folder for data, and a Jupyter notebook about it.' },
};

export const startingTexts = {
  // A new app.
  newApp: 'New app…',
  newAppTitle: 'New app',
  newAppTemplate: 'Start with',
  templates,
  newAppName: 'Name',
  newAppNameHint: 'my-app',
  newAppIn: 'In the folder',
  newAppPlace: (path: string) => `Creates ${path} with a git history. Nothing is installed yet.`,
  newAppMake: 'Create app',
  newAppMaking: 'Creating the app…',
  newAppNoName: 'Enter a name first.',

  // Its packages.
  packagesTitle: 'This app’s packages are not installed',
  packagesBody: (manager: string, count: number) =>
    `package.json names ${counted(count, 'package')}. ${manager} gets them and those they need from its registry. Their install scripts do not run.`,
  packagesHosts: (hosts: string) => `The lockfile gets packages from ${hosts}.`,
  packagesInstall: (manager: string) => `Install with ${manager}`,
  packagesInstalling: 'Installing…',
  packagesInstalled: 'Packages installed',

  // What is done with an app.
  manageApp: (name: string) => `Rename, copy or delete “${name}”`,
  appTitle: (name: string) => `App “${name}”`,
  appName: 'Name on the list',
  appNameHint: 'The folder keeps its name.',
  appRename: 'Rename',
  appCopy: 'Copy to a folder beside it',
  appCopyHint: 'Its files and its history, without installed packages and chats.',
  appCopyDo: 'Copy',
  appCopied: (name: string) => `Copied to “${name}”`,
  appCopying: 'Copying…',
  appDoing: 'Working…',
  appDelete: 'Delete',
  appDeleteHint: (path: string) =>
    `Moves ${path} and the chats about it to the deleted apps. You can take it back from there.`,
  appDeleteDo: 'Delete app',
  appDeleted: (name: string) => `Deleted app “${name}”`,
  deletedApps: 'Deleted apps',
  deletedNone: 'No app was deleted',
  deletedNoneHint: 'An app that you delete is kept here until you remove it for good.',
  deletedFrom: (path: string) => `from ${path}`,
  takeBack: 'Take back',
  removeForGood: 'Remove for good',
  removeForGoodTitle: (name: string) => `Remove “${name}” for good?`,
  removeForGoodBody: (path: string) =>
    `All files in ${path} and the chats about them are deleted from the disk. There is no way back.`,

  // Files by hand.
  newFile: 'New file',
  newFilePath: 'Path of the new file',
  newFileHint: 'src/new-file.ts',
  renameFile: (path: string) => `Rename ${path}`,
  deleteFile: (path: string) => `Delete ${path}`,
  filePath: 'New path',
  fileDeleted: (path: string) => `Deleted ${path}`,
  fileRenamed: (path: string) => `Renamed to ${path}`,
  fileUnsaved: (path: string) => `What you typed in ${path} is not saved. Save it first, or load the file again.`,

  // The search.
  search: 'Search in files and chats',
  searchText: 'Text to find',
  searchCase: 'Match case',
  searchPattern: 'Regular expression',
  searchFiles: 'Files',
  searchChats: 'Chats',
  searchHint: 'Searches text files that git does not ignore, and the chats of this app.',
  searching: 'Searching…',
  searchFound: (files: number, chats: number) =>
    `${counted(files, 'line')} in files, ${counted(chats, 'place')} in chats`,
  searchNone: 'No results.',
  searchCut: {
    matches: 'Only the first results are shown. Type more to narrow them.',
    time: 'Stopped after 5 s. There may be more.',
    files: 'The app has more files than are searched.',
  },
  searchSkipped: (count: number) => `${counted(count, 'file')} over 1 MB not searched.`,
} as const;
