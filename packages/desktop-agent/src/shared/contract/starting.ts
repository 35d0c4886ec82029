// What begins, copies and ends apps, changes their files by hand, and finds texts in them.
import * as z from 'zod';
import * as m from './model.ts';

const nothing = z.strictObject({});
const ofApp = z.strictObject({ appId: m.appId });

/** What a new app can begin with: the folders of `templates` in the package. */
export const templateName = z.enum(['vite-react', 'node-service', 'python-script', 'data-notebook']);
export type TemplateName = z.infer<typeof templateName>;

/** As a person types it. What a folder may be called is for the server to check. */
const appName = z.string().min(1).max(200);

/** An app that was deleted, and can be taken back. */
const deletedApp = z.strictObject({
  id: m.appId,
  name: z.string(),
  /** Where it was, absolute. */
  from: z.string(),
  /** Where its folder is now, absolute. */
  path: z.string(),
  deletedAt: z.string(),
});
export type DeletedApp = z.infer<typeof deletedApp>;

/** The packages that `package.json` of an app names. */
const packages = z.strictObject({
  /** `npm`, or what the lockfile belongs to. */
  manager: z.string(),
  /** With their versions: `react@19.3.1`. */
  names: z.array(z.string()),
  installed: z.boolean(),
  /** From where the lockfile gets packages, if it says so: `registry.example.com`. */
  hosts: z.array(z.string()),
  /** Why the agent does not install them; a sentence. */
  refused: z.string().nullable(),
});
export type Packages = z.infer<typeof packages>;

const fileChange = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('create'), path: m.appPath }),
  /** Files, or folders with all that is in them. */
  z.strictObject({ type: z.literal('rename'), from: m.appPath, to: m.appPath }),
  z.strictObject({ type: z.literal('delete'), path: m.appPath }),
]);
export type FileChange = z.infer<typeof fileChange>;

const search = {
  /** Of the page's own making: `cancel-search` names it. */
  searchId: z.string().min(1).max(64),
  appId: m.appId,
  text: z.string().min(1).max(1000),
  matchCase: z.boolean(),
};

/** A line of a file with the text. */
const fileMatch = z.strictObject({
  path: z.string(),
  /** From 1. */
  line: z.int(),
  /** The line, or the part of a long one around the match. */
  text: z.string(),
  /** Where in `text` it is, in UTF-16 units. */
  start: z.int(),
  end: z.int(),
});
export type FileMatch = z.infer<typeof fileMatch>;

const chatMatch = z.strictObject({
  chatId: m.chatId,
  title: z.string(),
  /** `null`: it is in the title. */
  messageId: m.messageId.nullable(),
  text: z.string(),
  start: z.int(),
  end: z.int(),
  at: z.string(),
});
export type ChatMatch = z.infer<typeof chatMatch>;

export const startingRequests = {
  /** Makes a folder in `parent` with the files of a template and a history of its own. Installs nothing. */
  'create-app': {
    params: z.strictObject({ template: templateName, parent: z.string().min(1), name: appName }),
    result: m.app,
  },
  /** A folder beside it with its files and its history, without installed packages and without chats. */
  'copy-app': { params: z.strictObject({ appId: m.appId, name: appName }), result: m.app },
  /** Gives it another name on the list. Its folder keeps its own. */
  'rename-app': { params: z.strictObject({ appId: m.appId, name: appName }), result: m.app },
  /** Moves its folder to where it can be taken back from, with its chats. */
  'delete-app': { params: ofApp, result: deletedApp },
  'list-deleted-apps': { params: nothing, result: z.array(deletedApp) },
  /** Fails with `changed` when something else is where its folder was. */
  'restore-app': { params: ofApp, result: m.app },
  /** Removes the folder and the chats of a deleted app. There is no way back. */
  'purge-app': { params: ofApp, result: nothing },
  'read-packages': { params: ofApp, result: packages },
  /** Installs what `package.json` names, without install scripts. The page has asked the person. */
  'install-packages': { params: ofApp, result: nothing },
  /** Makes one commit. `commit` is `null` of what git ignores. */
  'change-app-file': {
    params: z.strictObject({ appId: m.appId, change: fileChange }),
    result: z.strictObject({ commit: m.commit.nullable() }),
  },
  /** Takes back one commit by a new one. Fails with `changed` when its files are other ones by now. */
  'undo-version': { params: z.strictObject({ appId: m.appId, commit: m.commit }), result: m.version },
  /** Lines of files that git does not ignore. `pattern`: the text is a regular expression of JavaScript. */
  'search-files': {
    params: z.strictObject({ ...search, pattern: z.boolean() }),
    result: z.strictObject({
      matches: z.array(fileMatch),
      /** Why there may be more. */
      cut: z.enum(['matches', 'time', 'files']).nullable(),
      /** How many files were too large to look into. */
      skipped: z.int(),
    }),
  },
  /** Titles and texts of the chats of an app, the newest first. */
  'search-chats': {
    params: z.strictObject(search),
    result: z.strictObject({ matches: z.array(chatMatch), cut: z.enum(['matches', 'time']).nullable() }),
  },
  /** Ends a search that runs; it then fails with `cancelled`. */
  'cancel-search': { params: z.strictObject({ searchId: search.searchId }), result: nothing },
} as const;
