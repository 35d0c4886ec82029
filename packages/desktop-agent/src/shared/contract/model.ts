// The data that server and page exchange. Times are ISO 8601, sizes are bytes, paths are relative to the app with `/`.
import * as z from 'zod';
import { usage } from './models.ts';
import { maxStepLength, workPlan } from './work-plan.ts';

const id = z.string().min(1).max(64);
const time = z.string();
export const appId = id;
export const chatId = id;
export const messageId = id;
/** A path in the app, with `/`. The server checks that it stays in the app. */
export const appPath = z.string().min(1).max(4096);
export const commit = z.string().regex(/^[0-9a-f]{40}$/);

export const chatMode = z.enum(['ask', 'plan', 'agent', 'build']);
export type ChatMode = z.infer<typeof chatMode>;

/** The globs that choose the app's files for a prompt of the modes Ask and Build. */
export const contextGlobs = z.strictObject({
  include: z.array(z.string().max(1000)).max(1000),
  exclude: z.array(z.string().max(1000)).max(1000),
  /** Whether only files that match `include` are taken. Otherwise they are added to the usual ones. */
  strict: z.boolean(),
});
export type ContextGlobs = z.infer<typeof contextGlobs>;

export const app = z.strictObject({
  id: appId,
  name: z.string(),
  /** Absolute. */
  path: z.string(),
  /** Without git, nothing is applied and there are no versions. */
  git: z.boolean(),
  /** The parent folder, absolute, whose repository contains the app; `null` when the app has its own repository, or none. */
  repository: z.string().nullable(),
  /** The app whose copy with a branch of its own this is; `null` for all others. */
  copyOf: appId.nullable(),
  context: contextGlobs,
  createdAt: time,
  updatedAt: time,
});
export type App = z.infer<typeof app>;

export const chat = z.strictObject({
  id: chatId,
  appId,
  title: z.string(),
  mode: chatMode,
  model: z.string().nullable(),
  initialCommit: commit.nullable(),
  /** Where it was continued from, by editing a message; `null` when it began by itself. */
  continuedFrom: z
    .strictObject({
      chatId,
      /** The message that was edited; of the other chat. */
      messageId,
      /** What the other chat was called. */
      title: z.string(),
      /** `pending`: they were to go back to the version `to`, and the program ended before it was known whether they did. */
      files: z.enum(['kept', 'pending', 'back']),
      to: commit.nullable(),
    })
    .nullable(),
  /** Whether an answer is under way. */
  streaming: z.boolean(),
  createdAt: time,
  updatedAt: time,
});
export type Chat = z.infer<typeof chat>;

export const problem = z.strictObject({
  path: z.string(),
  /** From 1. */
  line: z.int(),
  column: z.int(),
  /** `TS2322`. */
  code: z.string(),
  message: z.string(),
});
export type Problem = z.infer<typeof problem>;
/**
 * What the compiler of an app may do where there is no jail. It may not run, or it may only read, which Node enforces, or it
 * may do all that the person may, which a native compiler needs.
 */
export const unjailed = z.enum(['nothing', 'reading', 'everything']);
export type Unjailed = z.infer<typeof unjailed>;

/** What the app's own TypeScript found, or why it was not asked. */
export const problemReport = z.strictObject({
  problems: z.array(problem),
  /** How many further problems there are. */
  more: z.int(),
  unchecked: z
    .strictObject({
      /** With `no-jail` and `no-jail-native`, the compiler runs only if a person allows it. */
      reason: z.enum(['no-typescript', 'no-config', 'no-jail', 'no-jail-native', 'unsupported', 'timeout', 'failed']),
      /** Says for a person what happened, why, and what to do. */
      message: z.string(),
    })
    .nullable(),
});
export type ProblemReport = z.infer<typeof problemReport>;

/** One line of a unified diff. `note` is not a line of the file, but what git says about the line before it. */
const diffLine = z.strictObject({ kind: z.enum(['context', 'added', 'removed', 'note']), text: z.string() });
const hunk = z.strictObject({ oldStart: z.int(), newStart: z.int(), lines: z.array(diffLine) });
export const fileDiff = z.strictObject({
  path: z.string(),
  /** The old path of a renamed file. */
  from: z.string().optional(),
  change: z.enum(['added', 'changed', 'deleted', 'renamed']),
  added: z.int(),
  removed: z.int(),
  hunks: z.array(hunk),
  /** Why not all changes are shown. A binary file has no lines. For a large file, `hunks` has only the beginning. */
  hidden: z.enum(['binary', 'large']).optional(),
  /** How many changed lines of a large file `hunks` lacks or has only in part. */
  unshown: z.int().optional(),
  /** A clause that says why a person always has to allow the file: it runs by itself, or tells a model what to do. */
  runs: z.string().optional(),
  /** Edits that were not placed exactly as the model said, each as a sentence. */
  inexact: z.array(z.string()).optional(),
  /** Whether the person has edited the proposed file. */
  edited: z.boolean().optional(),
});
export type FileDiff = z.infer<typeof fileDiff>;

/** What an answer of the mode Build, or a write tool of the mode Agent, wants to change. */
const proposal = z.strictObject({
  state: z.enum(['pending', 'applying', 'approved', 'rejected', 'failed']),
  summary: z.string(),
  files: z.array(fileDiff),
  dependencies: z.array(z.string()),
  /** What a running preview does once it is applied: `rebuild`, `restart`, `refresh`. */
  commands: z.array(z.string()),
  /** `null` when the app was not checked for problems. */
  problems: z.array(problem).nullable(),
  /** Why the app was not checked, for a person. */
  unchecked: z.string().optional(),
  /** Set when a person always decides, such as when types could not be checked or git has no copy of what it replaces. */
  needsPerson: z.boolean().optional(),
  /** The commit that took an approved proposal back; `null` when a person did it with git. */
  undone: commit.nullable().optional(),
  /** Paths whose change is refused. The reasons are in the text of the answer. */
  leftOut: z.array(z.string()).optional(),
  /** Edits that do not fit their files, with what the model has to do about each. */
  misplaced: z.array(z.strictObject({ path: z.string(), why: z.string() })).optional(),
  /** How often the person has edited the proposal. An approval names the revision that the person saw. */
  revision: z.int().optional(),
  /** What the person left out when they approved the rest. */
  declined: z.array(z.string()).optional(),
  /** After a failure: what happened, why, and what to do. */
  error: z.string().optional(),
});
export type Proposal = z.infer<typeof proposal>;

/** The part of a proposal that a person approves. */
export const choice = z.strictObject({
  /** `hunks` are the indices of the file's hunks, from 0. The default is all. */
  files: z
    .array(z.strictObject({ path: z.string(), hunks: z.array(z.int().min(0)).max(10_000).optional() }))
    .max(4_000),
  /** Whether the packages are added. */
  dependencies: z.boolean(),
});
export type Choice = z.infer<typeof choice>;

export const attachment = z.strictObject({
  name: z.string(),
  bytes: z.number(),
  mediaType: z.string(),
  /** The absolute path on the disk. It is absent when the content was put into the message. */
  path: z.string().optional(),
});
export type ChatAttachment = z.infer<typeof attachment>;

/** A file that is stored for a chat, and not part of a message yet. */
export const upload = z.strictObject({ id, name: z.string(), bytes: z.number(), mediaType: z.string() });
export type Upload = z.infer<typeof upload>;

/**
 * One part of an answer, in order. `script` and `bash` refer to a record of a call, `tool` is any other call.
 * Texts are markdown of the model, and hostile.
 */
export const part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('reasoning'), text: z.string() }),
  /** A summary that the model gets in place of all messages before it. It is empty while it is made, or if that failed. */
  z.strictObject({
    type: z.literal('summary'),
    text: z.string(),
    /** How many messages it replaces, and about how many tokens they and the summary have. */
    messages: z.int(),
    before: z.int(),
    after: z.int(),
  }),
  /** A run of a script. `root` is set when the script read the workspace of the chat instead of the app. */
  z.strictObject({
    type: z.literal('script'),
    runId: id,
    record: z.unknown().nullable(),
    root: z.literal('workspace').optional(),
  }),
  /** A script that calls tools. Its outcome is not in the message, because it may wait for days. */
  z.strictObject({ type: z.literal('tools'), runId: id }),
  z.strictObject({ type: z.literal('bash'), runId: id, run: z.unknown().nullable() }),
  /** The answer says that a step of a plan, from 0, is done. `plan` is the message with the plan. */
  z.strictObject({ type: z.literal('step'), plan: id, step: z.int().min(0), text: z.string().max(maxStepLength) }),
  z.strictObject({
    type: z.literal('tool'),
    callId: id,
    name: z.string(),
    /** One line for a person. */
    title: z.string(),
    state: z.enum(['running', 'done', 'failed', 'denied', 'stopped']),
    detail: z.string(),
  }),
]);
export type Part = z.infer<typeof part>;

export const message = z.strictObject({
  id: messageId,
  chatId,
  role: z.enum(['user', 'assistant']),
  parts: z.array(part),
  attachments: z.array(attachment),
  state: z.enum(['streaming', 'complete', 'cancelled', 'interrupted', 'failed']),
  /** If the answer failed, says what happened, why, and what to do. */
  error: z.string().nullable(),
  proposal: proposal.nullable(),
  /** The plan that an answer of the mode Plan suggests. */
  workPlan: workPlan.nullable(),
  commit: commit.nullable(),
  /** What the answer has cost so far; `null` before the first request and for a person's message. */
  usage: usage.nullable(),
  createdAt: time,
});
export type Message = z.infer<typeof message>;

/** A message that waits for the end of the answer that is under way. */
export const queuedMessage = z.strictObject({ id, text: z.string(), uploads: z.array(upload) });
export type QueuedMessage = z.infer<typeof queuedMessage>;

/** A script that a person ran again. It belongs to the first run of this script, and the model does not see it. */
export const rerun = z.strictObject({
  runId: id,
  /** The run in a message. It is never another rerun. */
  rerunOf: id,
  /** `null` while it is under way. */
  record: z.unknown().nullable(),
});
export type Rerun = z.infer<typeof rerun>;

export const version = z.strictObject({
  commit,
  message: z.string(),
  author: z.string(),
  at: time,
  /** The message of a chat that made it. */
  messageId: messageId.nullable(),
});
export type Version = z.infer<typeof version>;

const contextFile = z.strictObject({
  path: z.string(),
  bytes: z.number(),
  tokens: z.int(),
  /** Why the file is not in the prompt. */
  omitted: z.enum(['too-large', 'binary', 'limit']).optional(),
});
/** How to do one kind of work, in a folder of the app. */
export const skill = z.strictObject({ name: z.string(), description: z.string(), path: z.string() });
export type Skill = z.infer<typeof skill>;

export const context = z.strictObject({
  /** If there are very many, only the first by path. The numbers below are for all files. */
  files: z.array(contextFile),
  tokens: z.int(),
  taken: z.int(),
  omitted: z.int(),
  /** False when the app has more files than are read. */
  complete: z.boolean(),
  /** `AI_RULES.md`, `AGENTS.md` and the like, which are in each prompt too. `cut` says that the file is longer. */
  rules: z.array(z.strictObject({ path: z.string(), tokens: z.int(), cut: z.boolean() })),
  skills: z.array(skill),
});
export type Context = z.infer<typeof context>;

export const settings = z.strictObject({
  model: z.string().nullable(),
  autoApprove: z.boolean(),
  autoFix: z.boolean(),
  /** A person is asked before a request with more tokens than this, by our estimate. With 0 they are never asked. */
  largeRequest: z.int().min(0).max(100_000_000),
  /** The settings of scripts, in the form of the agent tool. */
  scripts: z.strictObject({
    enabled: z.boolean(),
    consent: z.enum(['ask', 'always', 'never']),
    timeoutMs: z.int().min(100).max(10_000),
    /** The engine that runs scripts. */
    engine: z.enum(['auto', 'quickjs', 'mustardscript']).default('auto'),
  }),
  /** What is done with files that put more than `sizeThreshold` into one message. */
  sizePolicy: z.enum(['ask', 'allow', 'truncate', 'reject']),
  /** In bytes. */
  sizeThreshold: z
    .int()
    .min(1024)
    .max(1024 ** 3),
  bash: z.boolean(),
  /** What commands reach by the network. */
  network: z
    .strictObject({
      /** Registries of packages. */
      registries: z.boolean(),
      /** Further domains; `*.example.com` for all below one. */
      domains: z.array(z.string().max(300)).max(100),
    })
    .default({ registries: false, domains: [] }),
  theme: z.enum(['system', 'light', 'dark']),
  /** The names of tips and banners that the person has closed. */
  dismissed: z.array(z.string().max(100)).max(200),
});
export type Settings = z.infer<typeof settings>;

/** The names of the app and the chat that ask, because several can ask at a time. */
const where = z.strictObject({ app: z.string(), chat: z.string().optional() }).optional();
/** What every question of an answer has. */
const asked = { id, chatId, where };

/** What a person is asked before something is done. */
export const question = z.discriminatedUnion('kind', [
  /** A run of a script, with `ConsentRequest` of the agent tool. */
  z.strictObject({ kind: z.literal('script'), ...asked, request: z.unknown() }),
  z.strictObject({
    kind: z.literal('command'),
    ...asked,
    command: z.string(),
    /** What it would reach by the network; empty or absent: nothing. */
    domains: z.array(z.string()).optional(),
  }),
  /** The dev script of an app's preview: the whole command, and the folder in which it runs with all rights of the person. */
  z.strictObject({
    kind: z.literal('dev-script'),
    id,
    appId,
    /** No chat asks this. */
    chatId: z.undefined().optional(),
    where,
    command: z.string(),
    folder: z.string(),
  }),
  /** A change of the proposal, or of a file in the workspace of the chat. */
  z.strictObject({
    kind: z.literal('write'),
    ...asked,
    title: z.string(),
    files: z.array(fileDiff),
    into: z.literal('workspace').optional(),
  }),
  /** A request with many tokens. The cost is in US dollars, for what is sent; `null` when the price is unknown. */
  z.strictObject({
    kind: z.literal('request'),
    ...asked,
    model: z.string(),
    tokens: z.int(),
    contextWindow: z.int().nullable(),
    cost: z.number().nullable(),
  }),
  /** More text than the threshold would go into a message. `summary` is that of the agent tool. */
  z.strictObject({ kind: z.literal('size'), ...asked, summary: z.unknown() }),
]);
export type Question = z.infer<typeof question>;
export const answer = z.enum(['allow-once', 'allow-always', 'deny', 'attach', 'truncate', 'cancel']);
export type Answer = z.infer<typeof answer>;

/** The page of a table that a person asks for, as `RowsRequest` of the protocol. */
export const rowsRequest = z.strictObject({
  offset: z.int().min(0),
  limit: z.int().min(1).max(1_000),
  search: z.string().max(1_000).optional(),
  filters: z.record(z.string().max(1_000), z.string().max(1_000)).optional(),
  sorting: z.strictObject({ column: z.string().max(1_000), isDescending: z.boolean() }).optional(),
});
