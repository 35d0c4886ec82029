// Copies of an app, in which chats go on beside it.
import * as z from 'zod';
import { commits, joined } from './git.ts';
import * as m from './model.ts';

const name = z.string().min(1).max(300);
/** Of the page's own making: `cancel-git` and `git:progress` name it. */
const task = { taskId: z.string().min(1).max(64) };
const ofCopy = { appId: m.appId, ...task };

const copyComparison = z.strictObject({
  /** The branch of the copy, and that of its app. */
  branch: z.string(),
  into: z.string(),
  /** The last commit of the app's branch, and of the copy's. */
  ours: m.commit,
  theirs: m.commit,
  /** The commits of the copy that its app lacks. */
  incoming: commits,
  /** How many files of the copy have changes that are in no commit. They do not come into the app. */
  uncommitted: z.int(),
});
export type CopyComparison = z.infer<typeof copyComparison>;

export const copyRequests = {
  /**
   * Copies the app of a chat into the data folder, with its history and on a branch of its own. The chat goes on there.
   * Fails with `busy` while an answer is under way.
   */
  'work-in-copy': { params: z.strictObject({ chatId: m.chatId, ...task }), result: m.app },
  /** Says what a copy has that its app lacks. Changes no branch and no file. */
  'compare-copy': { params: z.strictObject(ofCopy), result: copyComparison },
  /** Commits what was changed by hand in a copy. */
  'commit-copy': { params: z.strictObject({ appId: m.appId }), result: z.strictObject({}) },
  /** Joins the branch of the app with the commits that a comparison showed, or changes nothing. */
  'bring-in-copy': {
    params: z.strictObject({ ...ofCopy, branch: name, into: name, ours: m.commit, theirs: m.commit }),
    result: joined,
  },
} as const;
