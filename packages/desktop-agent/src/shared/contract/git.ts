// Branches of a repository, what it sends to a server and gets from it, and pull requests.
import * as z from 'zod';
import * as m from './model.ts';

const nothing = z.strictObject({});
const name = z.string().min(1).max(300);
const ofApp = { appId: m.appId };
/** Of the page's own making: `cancel-git` and `git:progress` name it. */
const task = { ...ofApp, taskId: z.string().min(1).max(64) };

const remote = z.strictObject({
  name: z.string(),
  /** Where it leads, after what the person's own settings of git make of it, without users and passwords. */
  url: z.string(),
  /** Where a push goes, which may be elsewhere. */
  pushUrl: z.string(),
  /** Why it is not used here; a sentence. */
  refused: z.string().nullable(),
});
export type Remote = z.infer<typeof remote>;

const upstream = z.strictObject({
  remote: z.string(),
  /** Its name at the remote. */
  branch: z.string(),
  /** Whether the settings of the branch say so. */
  isSet: z.boolean(),
});
export type Upstream = z.infer<typeof upstream>;

const branch = z.strictObject({
  name: z.string(),
  commit: m.commit,
  /** Whether the current branch has all of its commits. */
  merged: z.boolean(),
});
export type Branch = z.infer<typeof branch>;

const gitState = z.strictObject({
  /** The folder of the repository, absolute: for a package it is one above. */
  root: z.string(),
  /** `null` when HEAD is on no branch. */
  branch: z.string().nullable(),
  /** `null` before the first commit. */
  commit: m.commit.nullable(),
  /** The other ones, in the order of their names. */
  branches: z.array(branch),
  /** How many branches there are beyond those. */
  more: z.int(),
  remotes: z.array(remote),
  upstream: upstream.nullable(),
  /** Why there is no work with servers; a sentence. */
  noRemotes: z.string().nullable(),
  /** Whether `gh` is there, which makes pull requests. */
  gh: z.boolean(),
});
export type GitState = z.infer<typeof gitState>;

/** Commits that one side has and the other has not, the newest first. */
export const commits = z.strictObject({
  count: z.int(),
  /** The first 50. */
  shown: z.array(z.strictObject({ commit: m.commit, subject: z.string(), author: z.string() })),
});
export type Commits = z.infer<typeof commits>;

/** What the person has seen and agrees to: when it is another one by now, nothing is done. */
const agreed = { remote: name, url: z.string().max(3000), pushUrl: z.string().max(3000), branch: name };

const comparison = z.strictObject({
  ours: m.commit,
  /** `null`: the server has no such branch yet. */
  theirs: m.commit.nullable(),
  outgoing: commits,
  incoming: commits,
  /** How many commits the server's branch had when it was last looked at and has no more: somebody has rewritten it. */
  rewritten: z.int(),
});
export type Comparison = z.infer<typeof comparison>;

export const joined = z.discriminatedUnion('outcome', [
  z.strictObject({ outcome: z.literal('up-to-date') }),
  /** `merged`: whether a commit joins both; otherwise the branch went on to the other's commit. `before`: what it was. */
  z.strictObject({
    outcome: z.literal('joined'),
    commit: m.commit,
    before: m.commit,
    merged: z.boolean(),
    files: z.int(),
  }),
  /** Nothing was changed. `files` have changes on both sides that do not fit. */
  z.strictObject({ outcome: z.literal('conflicts'), files: z.array(z.string()) }),
]);
export type Joined = z.infer<typeof joined>;

const pullRequest = z.strictObject({
  ...agreed,
  /** Of `gh`: `github.com/owner/name`, as the person has seen it. */
  repository: z.string().max(600),
  /** The branch that it is to go into. */
  base: name,
  title: z.string().trim().min(1).max(300),
  body: z.string().max(60_000),
  draft: z.boolean(),
});
export type PullRequest = z.infer<typeof pullRequest>;

export const gitRequests = {
  /** Asks no server. Fails with `no_git`. */
  'read-git': { params: z.strictObject(ofApp), result: gitState },
  /** Gets the commits of a branch of a server, as `git fetch` does, and says what each side has. Changes no branch and no file. */
  'compare-with-remote': { params: z.strictObject({ ...task, ...agreed }), result: comparison },
  /** Sends the commits that a comparison showed, and makes the branch at the server if it has none. Never by force. */
  'push-branch': {
    params: z.strictObject({ ...task, ...agreed, ours: m.commit, theirs: m.commit.nullable() }),
    result: nothing,
  },
  /** Joins the branch with what a comparison showed, or changes nothing. */
  'pull-branch': {
    params: z.strictObject({ ...task, remote: name, branch: name, ours: m.commit, theirs: m.commit }),
    result: joined,
  },
  /** Makes the current branch what it was before it was joined, as long as nothing came after. */
  'undo-join': { params: z.strictObject({ ...ofApp, commit: m.commit }), result: nothing },
  'cancel-git': { params: z.strictObject({ taskId: task.taskId }), result: nothing },
  /** Makes a branch of the last commit and switches to it. */
  'create-branch': { params: z.strictObject({ ...ofApp, name }), result: nothing },
  /** The same, with a name that comes from the title of the chat. */
  'create-chat-branch': { params: z.strictObject({ chatId: m.chatId }), result: z.strictObject({ name: z.string() }) },
  /** What the person has changed is committed first, on the branch that they leave. */
  'switch-branch': { params: z.strictObject({ ...ofApp, name }), result: nothing },
  /** Joins another branch with the current one, or changes nothing. */
  'merge-branch': { params: z.strictObject({ ...task, name, commit: m.commit }), result: joined },
  /** Fails with `denied` when the current branch has not all of its commits. */
  'delete-branch': { params: z.strictObject({ ...ofApp, name, commit: m.commit }), result: nothing },
  /** Takes `delete-branch` back. */
  'restore-branch': { params: z.strictObject({ ...ofApp, name, commit: m.commit }), result: nothing },
  /** What a person may begin with. Fails with `changed` when the branch is not pushed. */
  'draft-pull-request': {
    params: z.strictObject({ ...ofApp, ...agreed, chatId: m.chatId.optional() }),
    result: z.strictObject({
      title: z.string(),
      body: z.string(),
      bases: z.array(z.string()),
      base: z.string(),
      /** Of `gh`: `github.com/owner/name`. */
      repository: z.string(),
    }),
  },
  /** Runs `gh pr create`. */
  'create-pull-request': {
    params: z.strictObject({ ...task, ...pullRequest.shape }),
    result: z.strictObject({ url: z.string() }),
  },
} as const;

export const gitEvents = {
  /** `percent` is of the phase. */
  'git:progress': z.strictObject({ taskId: z.string(), phase: z.string(), percent: z.int() }),
} as const;
