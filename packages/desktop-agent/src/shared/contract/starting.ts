// Requests that make, copy and delete apps, change their files by hand, and search them.
import * as z from 'zod';
import * as m from './model.ts';

const nothing = z.strictObject({});
const ofApp = z.strictObject({ appId: m.appId });

/** What a new app can begin with: the folders of `templates` in the package. */
export const templateName = z.enum(['vite-react', 'node-service', 'python-script', 'data-notebook']);
export type TemplateName = z.infer<typeof templateName>;

/** The name as a person types it. The server checks whether a folder may have it. */
const appName = z.string().min(1).max(200);

/** An app that was deleted, and can be taken back. */
const deletedApp = z.strictObject({
  id: m.appId,
  name: z.string(),
  /** Where its folder was, absolute. */
  from: z.string(),
  /** Where its folder is now, absolute. */
  path: z.string(),
  deletedAt: z.string(),
});
export type DeletedApp = z.infer<typeof deletedApp>;

/** The packages that `package.json` of an app names. */
const packages = z.strictObject({
  /** `npm`, or the package manager of the lockfile. */
  manager: z.string(),
  /** Names with versions, such as `react@19.3.1`. */
  names: z.array(z.string()),
  installed: z.boolean(),
  /** The hosts that the lockfile names, such as `registry.example.com`. */
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
  /** Chosen by the page, so that `cancel-search` can name it. */
  searchId: z.string().min(1).max(64),
  appId: m.appId,
  text: z.string().min(1).max(1000),
  matchCase: z.boolean(),
};

/** A matching line of a file. */
const fileMatch = z.strictObject({
  path: z.string(),
  /** From 1. */
  line: z.int(),
  /** The line, or the part of a long one around the match. */
  text: z.string(),
  /** Where the match begins in `text`, in UTF-16 units. */
  start: z.int(),
  end: z.int(),
});
export type FileMatch = z.infer<typeof fileMatch>;

const chatMatch = z.strictObject({
  chatId: m.chatId,
  title: z.string(),
  /** `null` when the match is in the title. */
  messageId: m.messageId.nullable(),
  text: z.string(),
  start: z.int(),
  end: z.int(),
  at: z.string(),
});
export type ChatMatch = z.infer<typeof chatMatch>;

export const startingRequests = {
  /** Makes a folder in `parent` with the files of a template and its own history. It installs nothing. */
  'create-app': {
    params: z.strictObject({ template: templateName, parent: z.string().min(1), name: appName }),
    result: m.app,
  },
  /** Copies an app to a folder beside it, with its files and history, but without installed packages and chats. */
  'copy-app': { params: z.strictObject({ appId: m.appId, name: appName }), result: m.app },
  /** Gives an app another name on the list. Its folder keeps its name. */
  'rename-app': { params: z.strictObject({ appId: m.appId, name: appName }), result: m.app },
  /** Deletes an app. Its folder is moved, and the app can be taken back with its chats. */
  'delete-app': { params: ofApp, result: deletedApp },
  'list-deleted-apps': { params: nothing, result: z.array(deletedApp) },
  /** Fails with `changed` when something else is where its folder was. */
  'restore-app': { params: ofApp, result: m.app },
  /** Removes the folder and the chats of a deleted app for good. */
  'purge-app': { params: ofApp, result: nothing },
  'read-packages': { params: ofApp, result: packages },
  /** Installs what `package.json` names, without install scripts. The page has asked the person. */
  'install-packages': { params: ofApp, result: nothing },
  /** Changes a file in one commit. `commit` is `null` when git ignores the file. */
  'change-app-file': {
    params: z.strictObject({ appId: m.appId, change: fileChange }),
    result: z.strictObject({ commit: m.commit.nullable() }),
  },
  /** Takes back one commit by a new one. Fails with `changed` when its files have changed since. */
  'undo-version': { params: z.strictObject({ appId: m.appId, commit: m.commit }), result: m.version },
  /** Finds lines of files that git does not ignore. With `pattern`, the text is a regular expression of JavaScript. */
  'search-files': {
    params: z.strictObject({ ...search, pattern: z.boolean() }),
    result: z.strictObject({
      matches: z.array(fileMatch),
      /** Why there may be more. */
      cut: z.enum(['matches', 'time', 'files']).nullable(),
      /** How many files were too large to search. */
      skipped: z.int(),
    }),
  },
  /** Searches the titles and texts of an app's chats, the newest first. */
  'search-chats': {
    params: z.strictObject(search),
    result: z.strictObject({ matches: z.array(chatMatch), cut: z.enum(['matches', 'time']).nullable() }),
  },
  /** Ends a running search, which then fails with `cancelled`. */
  'cancel-search': { params: z.strictObject({ searchId: search.searchId }), result: nothing },
} as const;
