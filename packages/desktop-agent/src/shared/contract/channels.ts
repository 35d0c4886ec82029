// The allow-list of messages between page and server. Both ends check what they send and what they get.
import * as z from 'zod';
import * as m from './model.ts';
import { copyRequests } from './copies.ts';
import { gitEvents, gitRequests } from './git.ts';
import { previewEvents, previewRequests } from './preview.ts';
import * as models from './models.ts';
import { startingRequests } from './starting.ts';
import { steeringRequests } from './steering.ts';
import * as t from './tools.ts';

const nothing = z.strictObject({});
const ofApp = z.strictObject({ appId: m.appId });
const ofChat = z.strictObject({ chatId: m.chatId });
const ofRun = z.strictObject({ runId: t.runId });
const ofQueued = z.strictObject({ chatId: m.chatId, id: z.string() });
const ofMessage = z.strictObject({ chatId: m.chatId, messageId: m.messageId });

/** The requests of the page: each channel with its params and its result. */
export const requests = {
  /** The state that a page needs first. `questions` are those that wait for an answer. */
  'get-state': {
    params: nothing,
    result: z.strictObject({
      version: z.string(),
      apps: z.array(m.app),
      settings: m.settings,
      questions: z.array(m.question),
      waitingRuns: z.array(t.waitingRun),
      /** The result of `settingsInfo` of the agent tool, by key. */
      scriptSettings: z.unknown(),
      bash: z.strictObject({ available: z.boolean(), reason: z.string() }),
    }),
  },
  'list-apps': { params: nothing, result: z.array(m.app) },
  'get-app': { params: ofApp, result: m.app },
  /** Adds a folder, by its absolute path. `initGit` is what the person answered when it has no git. */
  'add-app': { params: z.strictObject({ path: z.string().min(1), initGit: z.boolean().optional() }), result: m.app },
  'init-git': { params: ofApp, result: m.app },
  /** Takes an app off the list and removes its chats. The folder stays as it is. */
  'remove-app': { params: ofApp, result: nothing },
  ...startingRequests,
  ...steeringRequests,
  ...gitRequests,
  ...copyRequests,
  /** The folders in a folder, from which a person can choose. */
  'list-folders': {
    params: z.strictObject({ path: z.string() }),
    result: z.strictObject({ path: z.string(), parent: z.string().nullable(), folders: z.array(z.string()) }),
  },
  'list-app-files': { params: ofApp, result: z.strictObject({ files: z.array(z.string()), truncated: z.boolean() }) },
  'list-skills': { params: ofApp, result: z.array(m.skill) },
  'read-app-file': {
    params: z.strictObject({ appId: m.appId, path: m.appPath }),
    /** An edit sends `hash` back, so that no other change is overwritten unseen. */
    result: z.strictObject({ content: z.string(), hash: z.string() }),
  },
  /** Saves a file and commits it. Fails with `changed` when the file has changed since it was read. */
  'edit-app-file': {
    params: z.strictObject({ appId: m.appId, path: m.appPath, content: z.string(), hash: z.string().nullable() }),
    result: z.strictObject({ hash: z.string(), commit: m.commit.nullable() }),
  },
  'list-chats': { params: ofApp, result: z.array(m.chat) },
  'create-chat': { params: z.strictObject({ appId: m.appId, mode: m.chatMode.optional() }), result: m.chat },
  'get-chat': {
    params: ofChat,
    result: z.strictObject({
      chat: m.chat,
      messages: z.array(m.message),
      reruns: z.array(m.rerun),
      toolRuns: z.array(t.toolRun),
      /** In the order in which they will be sent. */
      queue: z.array(m.queuedMessage),
    }),
  },
  'update-chat': {
    params: z.strictObject({
      chatId: m.chatId,
      title: z.string().min(1).max(200).optional(),
      mode: m.chatMode.optional(),
      model: z.string().nullable().optional(),
    }),
    result: m.chat,
  },
  /** Deletes a chat with its messages and attachments. It can be taken back until `undoUntil`. */
  'delete-chat': { params: ofChat, result: z.strictObject({ undoUntil: z.string() }) },
  'restore-chat': { params: ofChat, result: m.chat },
  'export-chat': {
    params: z.strictObject({ chatId: m.chatId, attachments: z.boolean() }),
    result: z.strictObject({ fileName: z.string(), markdown: z.string() }),
  },
  /** Sends a message. `uploads` are the ids that uploads gave. Resolves once both messages are saved. */
  'chat:stream': {
    params: z.strictObject({
      chatId: m.chatId,
      text: z.string().max(1_000_000),
      uploads: z.array(z.string()).max(100),
    }),
    result: z.strictObject({ userMessageId: m.messageId, messageId: m.messageId }),
  },
  /** As `chat:stream`, but it waits until the answers that are under way and the messages before it are complete. */
  'queue-message': {
    params: z.strictObject({
      chatId: m.chatId,
      text: z.string().max(1_000_000),
      uploads: z.array(z.string()).max(100),
    }),
    result: nothing,
  },
  'edit-queued': {
    params: z.strictObject({ chatId: m.chatId, id: z.string(), text: z.string().min(1).max(1_000_000) }),
    result: nothing,
  },
  'remove-queued': { params: ofQueued, result: nothing },
  /** Stops the answer that is under way, and sends this message next. */
  'send-queued': { params: ofQueued, result: nothing },
  /** Has the model write a summary, which it then gets in place of all messages before. Nothing is deleted. */
  'compact-chat': { params: ofChat, result: z.strictObject({ messageId: m.messageId }) },
  'chat:cancel': { params: ofChat, result: nothing },
  /** `choice` is the approved part. `revision` is the shown one; fails with `changed` when there is a newer one. */
  'approve-proposal': {
    params: ofMessage.extend({ revision: z.int().optional(), choice: m.choice.optional() }),
    result: m.message,
  },
  /** The text that a proposed file would have. */
  'read-proposed-file': {
    params: ofMessage.extend({ path: m.appPath }),
    result: z.strictObject({ content: z.string(), revision: z.int() }),
  },
  /** Changes a proposed file before it is applied. Fails with `changed` when the proposal has another revision. */
  'edit-proposed-file': {
    params: ofMessage.extend({ path: m.appPath, content: z.string().max(5_000_000), revision: z.int() }),
    result: m.message,
  },
  'reject-proposal': { params: ofMessage, result: m.message },
  'answer-question': { params: z.strictObject({ id: z.string(), answer: m.answer }), result: nothing },
  /** Runs the script of a record again. Its result comes by events of the new run, and is not sent to the model. */
  'rerun-script': {
    params: z.strictObject({ chatId: m.chatId, runId: z.string() }),
    result: z.strictObject({ runId: z.string() }),
  },
  /** Stops a script that a person ran again, or closes its question. */
  'stop-script': { params: z.strictObject({ chatId: m.chatId, runId: z.string() }), result: nothing },
  'read-output': {
    params: z.strictObject({ chatId: m.chatId, runId: z.string() }),
    result: z.strictObject({ text: z.string() }),
  },
  /** A page of a table that a script of the chat saved. `columns` are the known ones, for a search in all of them. */
  'read-rows': {
    params: z.strictObject({
      chatId: m.chatId,
      name: z.string().max(200),
      request: m.rowsRequest,
      columns: z.array(z.string().max(1_000)).max(100),
    }),
    result: z.strictObject({ rows: z.array(z.unknown()), total: z.number() }),
  },
  /** Removes a file that was uploaded and then taken off the message. A file of a sent message stays. */
  'discard-upload': { params: z.strictObject({ chatId: m.chatId, uploadId: z.string() }), result: nothing },
  'list-attachments': { params: ofChat, result: z.array(m.attachment) },
  /** Shows the folder of all attachments in the file manager of this machine. */
  'open-attachments': { params: nothing, result: nothing },
  'remove-attachment': { params: z.strictObject({ chatId: m.chatId, name: z.string() }), result: nothing },
  /**
   * The last 200 versions, newest first. For a chat, these are the ones that its answers made and the one that it began with.
   * `more` says that there are older ones.
   */
  'list-versions': {
    params: z.strictObject({ appId: m.appId, chatId: m.chatId.optional() }),
    result: z.strictObject({ versions: z.array(m.version), more: z.boolean() }),
  },
  'read-version': {
    params: z.strictObject({ appId: m.appId, commit: m.commit }),
    /** `more` is how many further files changed, when they are very many or very large. */
    result: z.strictObject({ version: m.version, files: z.array(m.fileDiff), more: z.int() }),
  },
  /** Makes a new commit with the files of an old one. */
  'revert-to-version': { params: z.strictObject({ appId: m.appId, commit: m.commit }), result: m.version },
  /**
   * Takes back the last answer that is in the app, by a new commit. The next call takes back the one before it. `messageId`: the
   * answer that the page means. Fails with `changed` when it is another one by now.
   */
  'undo-turn': { params: ofChat.extend({ messageId: m.messageId.optional() }), result: m.version },
  /** Makes the change again that was taken back last, by a new commit. `messageId` as for `undo-turn`. */
  'redo-turn': { params: ofChat.extend({ messageId: m.messageId.optional() }), result: m.version },
  'get-context': { params: ofApp, result: m.context },
  'set-context': { params: z.strictObject({ appId: m.appId, context: m.contextGlobs }), result: m.context },
  /** `allowUnjailed`: what the person allowed, asked for the reason `no-jail` or `no-jail-native`. The server remembers it for the app. */
  'check-problems': {
    params: z.strictObject({ appId: m.appId, allowUnjailed: m.unjailed.optional() }),
    result: m.problemReport,
  },
  /** `problems` say which servers and keys of the person give no models. */
  'list-models': {
    params: nothing,
    result: z.strictObject({ models: z.array(models.model), problems: z.array(models.modelProblem) }),
  },
  /** What the person sets for a model, such as its price. `null` removes it. */
  'set-model-options': {
    params: z.strictObject({ model: models.modelId, options: models.modelOptions.nullable() }),
    result: nothing,
  },
  /** Servers of models that the person has added. Keys and values of headers never come out. */
  'list-model-servers': { params: nothing, result: z.array(models.modelServer) },
  /** Adds a server, or changes the one with this id. */
  'save-model-server': {
    params: z.strictObject({ id: models.serverId.nullable(), server: models.modelServerDraft }),
    result: z.array(models.modelServer),
  },
  'remove-model-server': { params: z.strictObject({ id: models.serverId }), result: z.array(models.modelServer) },
  'update-settings': { params: m.settings.partial(), result: m.settings },
  /** Stores a key. Keys never come out. */
  'set-key': {
    params: z.strictObject({ provider: models.providerName, key: models.key.nullable() }),
    result: nothing,
  },
  'list-keys': {
    params: nothing,
    result: z.array(z.strictObject({ provider: models.providerName, storage: models.keyStorage })),
  },
  /** Ends the processes in the workspace of a chat and removes its files. The next command gets a new copy of the app. */
  'reset-workspace': { params: ofChat, result: nothing },
  /** `exists` is false before the first command of the chat. */
  'list-workspace-files': {
    params: ofChat,
    result: z.strictObject({
      exists: z.boolean(),
      files: z.array(z.strictObject({ path: z.string(), bytes: z.number() })),
      truncated: z.boolean(),
    }),
  },
  /** The first MiB of a file. All of it is at `workspacePath`. */
  'read-workspace-file': {
    params: z.strictObject({ chatId: m.chatId, path: m.appPath }),
    result: z.strictObject({ content: z.string(), bytes: z.number(), cut: z.boolean(), binary: z.boolean() }),
  },
  /** The person's MCP servers. This also connects them. Values of variables and headers never come out. */
  'list-servers': { params: nothing, result: z.array(t.server) },
  /** Adds a server, or changes the one that `was` names. */
  'save-server': {
    params: z.strictObject({ name: t.serverName, was: z.string().nullable(), server: t.serverDraft }),
    result: z.array(t.server),
  },
  'remove-server': { params: z.strictObject({ name: z.string() }), result: z.array(t.server) },
  /** Tries again to connect servers that could not be connected. */
  'connect-servers': { params: nothing, result: z.array(t.server) },
  /** Whether calls of a tool are made, asked about or refused; `null` leaves it to the setting of its server. */
  'set-tool-action': {
    params: z.strictObject({ tool: z.string().max(300), action: t.toolAction.nullable() }),
    result: z.array(t.server),
  },
  'read-tool-run': { params: ofRun, result: t.toolRun },
  /** Decides on a call. Fails with `changed` when it is already decided. It does not wait for the run to continue. */
  'decide-call': {
    params: z.strictObject({ runId: t.runId, call: z.int(), decision: t.callDecision }),
    result: t.toolRun,
  },
  'cancel-tool-run': { params: ofRun, result: t.toolRun },
  /** Starts a run in which a past call has another answer, and which continues from there. */
  'fork-tool-run': {
    params: z.strictObject({ runId: t.runId, call: z.int(), answer: t.forkAnswer }),
    result: z.strictObject({ runId: t.runId }),
  },
  /** Adds a message that proposes what commands changed in the workspace, as changes of the app. */
  'take-over-workspace': { params: ofChat, result: m.message },
  ...previewRequests,
} as const;

/** What the server tells the page. */
export const events = {
  /**
   * An answer has become longer: `text` is appended to the part at `index`, which had `offset` UTF-16 units. A page that
   * has another length asks for the chat again.
   */
  'chat:response:chunk': z.strictObject({
    chatId: m.chatId,
    messageId: m.messageId,
    index: z.int(),
    type: z.enum(['text', 'reasoning']),
    offset: z.int(),
    text: z.string(),
  }),
  /** A part of another type began or changed. */
  'chat:response:part': z.strictObject({ chatId: m.chatId, messageId: m.messageId, index: z.int(), part: m.part }),
  'chat:response:end': z.strictObject({ chatId: m.chatId, message: m.message }),
  'chat:response:error': z.strictObject({ chatId: m.chatId, message: m.message, error: z.string() }),
  /** A message is new or has changed. */
  'chat:message': z.strictObject({ message: m.message }),
  /** The waiting messages of a chat have changed. */
  'chat:queue': z.strictObject({ chatId: m.chatId, queue: z.array(m.queuedMessage) }),
  /** An event for the run store of the cards. */
  'chat:run': z.strictObject({ chatId: m.chatId, event: z.unknown() }),
  /** A run of a script that calls tools has changed. */
  'tool-run:changed': z.strictObject({ run: t.toolRun }),
  /** All runs that wait for a person, the newest first. */
  'tool-runs:waiting': z.strictObject({ runs: z.array(t.waitingRun) }),
  'servers:changed': z.strictObject({ servers: z.array(t.server) }),
  'chat:changed': z.strictObject({ chat: m.chat }),
  'chat:deleted': z.strictObject({ chatId: m.chatId, appId: m.appId }),
  'app:changed': z.strictObject({ app: m.app }),
  'app:removed': z.strictObject({ appId: m.appId }),
  /** Files or commits of the app changed, so the page asks for them again. */
  'app:files-changed': z.strictObject({ appId: m.appId }),
  'question:asked': z.strictObject({ question: m.question }),
  'question:closed': z.strictObject({ id: z.string() }),
  /** Servers, options or keys of models have changed, so the page asks for its models again. */
  'models:changed': nothing,
  'settings:changed': z.strictObject({ settings: m.settings }),
  notice: z.strictObject({ id: z.string(), text: z.string(), kind: z.enum(['info', 'warning', 'error']) }),
  ...previewEvents,
  ...gitEvents,
} as const;

export type RequestName = keyof typeof requests;
export type EventName = keyof typeof events;
export type Params<Name extends RequestName> = z.input<(typeof requests)[Name]['params']>;
export type Result<Name extends RequestName> = z.output<(typeof requests)[Name]['result']>;
export type EventData<Name extends EventName> = z.output<(typeof events)[Name]>;
