// Everywhere, the connection, the rail, and the first look.

export const pageTexts = {
  // Everywhere.
  product: 'Mustard agent',
  close: 'Close',
  cancel: 'Cancel',
  undo: 'Undo',
  retry: 'Try again',
  loading: 'Loading…',
  dismiss: 'Dismiss',
  unexpected: (why: string) => `Something went wrong in the page: ${why}. Reload it; nothing that was saved is lost.`,
  renderFailed: 'This part cannot be shown',
  renderFailedWhy: (why: string) => `The page failed on it: ${why}. Everything else works.`,
  skipToMessage: 'Skip to the message box',

  // The connection.
  connecting: 'Connecting to the agent on this machine…',
  offline: 'The agent is not running or cannot be reached.',
  offlineHint: 'The page connects again by itself. What you type stays here.',
  over: 'The agent has ended. Start it again, and open the address that it prints. What you typed is still here to be copied.',
  startFailed: 'The page cannot be opened',

  // The rail.
  rail: 'Apps and chats',
  showRail: 'Show apps and chats',
  hideRail: 'Hide apps and chats',
  app: 'App',
  addApp: 'Add a folder…',
  newChat: 'New chat',
  chats: 'Chats',
  noChats: 'Your chats about this app appear here.',
  chatStreaming: 'answering',
  renameChat: (title: string) => `Rename chat “${title}”`,
  chatTitle: 'Title of the chat',
  deleteChat: (title: string) => `Delete chat “${title}”`,
  chatDeleted: (title: string) => `Deleted chat “${title}”`,
  removeApp: (name: string) => `Take “${name}” off the list`,
  removeAppTitle: (name: string) => `Take “${name}” off the list?`,
  removeAppBody: 'Its chats are deleted from the agent. The folder and its files stay as they are.',
  removeAppDo: 'Take off the list',
  settings: 'Settings',
  commands: 'Commands',

  // First look.
  welcome: 'Work on a folder of yours',
  welcomeBody:
    'Pick a folder with code or data. The agent answers questions about it, runs small sandboxed scripts over files of any size, and proposes changes that you approve. All of it stays on this machine, except what goes to the model.',
  pickFolder: 'Pick a folder',
  folderTitle: 'Pick a folder',
  folderPath: 'Folder',
  folderGo: 'Go',
  folderUp: 'Up',
  folderUse: 'Use this folder',
  folderEmpty: 'There are no folders in here. You can use this one.',
  folderFilter: 'Filter the folders',
  folderNone: 'No folder has a name like this.',
  gitTitle: 'Begin a history for this folder?',
  gitBody:
    'The folder has no git. With it each change of the agent is a version that you can look at and go back from. Without it the agent can read and answer, but change nothing.',
  gitYes: 'Begin a history',
  gitNo: 'Use it without',
  noGit: 'This folder has no git: there are no versions, and no changes can be applied.',
  emptyTitle: (app: string) => `What shall we find out about ${app}?`,
  emptyBody: 'Ask a question, or drop a file of any size into the box below.',
  suggestions: [
    'What does this app do, and where does it begin?',
    'Which files change most often?',
    'Find what looks broken.',
  ],
  noModel: 'No model is set up yet',
  noModelBody:
    'Start Ollama or LM Studio, which the agent finds by itself, or enter a key in the settings. Or look around first:',
  tour: 'Take the tour',
  tourHint: 'A prepared conversation with real scripts over a log. It needs no model and no key.',
  tourText: 'Which errors are in the demo log, and when did they begin?',
  addModel: 'Add a model',
} as const;
