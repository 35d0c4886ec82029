// The tables as drizzle sees them. migrations.ts makes them, and a test compares the two.
import { index, integer, primaryKey, sqliteTable, text, type AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Plan } from '../changes/index.ts';
import type {
  Chat,
  ChatMode,
  ContextGlobs,
  Message,
  Part,
  Proposal,
  Usage,
  WorkPlan,
} from '../../shared/contract/index.ts';

export const apps = sqliteTable('apps', {
  id: text().primaryKey(),
  name: text().notNull(),
  /** Absolute and without links, so that two names of one folder are one app. */
  path: text().notNull().unique(),
  context: text({ mode: 'json' }).$type<ContextGlobs>().notNull(),
  /** What the app's compiler may do where there is no jail: 0 is nothing, 1 is reading, 2 is everything. */
  allowsUnjailed: integer('allows_unjailed').notNull().default(0),
  /** Where the folder was before a person deleted the app. `path` is where it is now, so that it can be taken back. */
  deletedFrom: text('deleted_from'),
  /** The app whose copy this is. Without that app, it is one like others. */
  copyOf: text('copy_of').references((): AnySQLiteColumn => apps.id, { onDelete: 'set null' }),
  createdAt: text('created_at').notNull(),
  updatedAt: text('updated_at').notNull(),
  /** Set while the app is being removed. What was stored for it goes first, and its row goes last. */
  deletedAt: text('deleted_at'),
});

export const chats = sqliteTable(
  'chats',
  {
    id: text().primaryKey(),
    appId: text('app_id')
      .notNull()
      .references(() => apps.id, { onDelete: 'cascade' }),
    title: text().notNull(),
    mode: text().$type<ChatMode>().notNull(),
    model: text(),
    initialCommit: text('initial_commit'),
    continuedFrom: text('continued_from', { mode: 'json' }).$type<NonNullable<Chat['continuedFrom']>>(),
    /** The workspace where its commands run. */
    workspaceId: text('workspace_id'),
    createdAt: text('created_at').notNull(),
    updatedAt: text('updated_at').notNull(),
    /** Set from the deletion until it can no longer be taken back. */
    deletedAt: text('deleted_at'),
  },
  (table) => [index('chats_of_app').on(table.appId)],
);

export const messages = sqliteTable(
  'messages',
  {
    /** The order in the chat. The times of two messages can be equal. */
    position: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    chatId: text('chat_id')
      .notNull()
      .references(() => chats.id, { onDelete: 'cascade' }),
    role: text().$type<Message['role']>().notNull(),
    parts: text({ mode: 'json' }).$type<Part[]>().notNull(),
    /** What was sent to the model and what it answered, as the AI SDK has it. It is never sent to the page. */
    modelMessages: text('model_messages', { mode: 'json' }).$type<unknown[]>(),
    proposal: text({ mode: 'json' }).$type<Proposal>(),
    workPlan: text('work_plan', { mode: 'json' }).$type<WorkPlan>(),
    /** What the proposal does when it is approved. It is never sent to the page. */
    plan: text({ mode: 'json' }).$type<Plan>(),
    state: text().$type<Message['state']>().notNull(),
    error: text(),
    commit: text('commit_hash'),
    /** Of a person's message: the commit that HEAD had when it was sent. */
    headCommit: text('head_commit'),
    usage: text({ mode: 'json' }).$type<Usage>(),
    createdAt: text('created_at').notNull(),
  },
  (table) => [index('messages_of_chat').on(table.chatId, table.position)],
);

/** Scripts that a person ran again. */
export const reruns = sqliteTable(
  'reruns',
  {
    position: integer().primaryKey({ autoIncrement: true }),
    runId: text('run_id').notNull().unique(),
    chatId: text('chat_id')
      .notNull()
      .references(() => chats.id, { onDelete: 'cascade' }),
    /** The run in a message that had this script first. */
    rerunOf: text('rerun_of').notNull(),
    record: text({ mode: 'json' }).$type<unknown>().notNull(),
  },
  (table) => [index('reruns_of_chat').on(table.chatId, table.position)],
);

/** The chats and messages that runs with calls of tools belong to. The runs themselves are in a database of their own. */
export const toolRuns = sqliteTable(
  'tool_runs',
  {
    position: integer().primaryKey({ autoIncrement: true }),
    runId: text('run_id').notNull().unique(),
    chatId: text('chat_id')
      .notNull()
      .references(() => chats.id, { onDelete: 'cascade' }),
    /** The message whose answer began the run. */
    messageId: text('message_id').notNull(),
    /** Whether the model has the run's result, or can never have it. */
    isTold: integer('is_told', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [index('tool_runs_of_chat').on(table.chatId, table.position)],
);

/** Messages that wait for the end of an answer. */
export const queuedMessages = sqliteTable(
  'queued_messages',
  {
    position: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    chatId: text('chat_id')
      .notNull()
      .references(() => chats.id, { onDelete: 'cascade' }),
    text: text().notNull(),
    createdAt: text('created_at').notNull(),
  },
  (table) => [index('queued_messages_of_chat').on(table.chatId, table.position)],
);

export const attachments = sqliteTable(
  'attachments',
  {
    /** The id that the upload gave to the page. */
    id: text().primaryKey(),
    chatId: text('chat_id')
      .notNull()
      .references(() => chats.id, { onDelete: 'cascade' }),
    /** NULL until a message uses it. */
    messageId: text('message_id').references(() => messages.id, { onDelete: 'cascade' }),
    /** The waiting message that uses it. */
    queuedId: text('queued_id').references(() => queuedMessages.id, { onDelete: 'set null' }),
    /** The name in `attachments:<name>`. */
    name: text().notNull(),
    mediaType: text('media_type').notNull(),
    bytes: integer().notNull(),
    /** Absolute. NULL where the message contains the content. */
    path: text(),
    createdAt: text('created_at').notNull(),
  },
  (table) => [index('attachments_of_message').on(table.messageId), index('attachments_of_chat').on(table.chatId)],
);

export const versions = sqliteTable(
  'versions',
  {
    appId: text('app_id')
      .notNull()
      .references(() => apps.id, { onDelete: 'cascade' }),
    commit: text('commit_hash').notNull(),
    messageId: text('message_id').references(() => messages.id, { onDelete: 'set null' }),
    createdAt: text('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.appId, table.commit] }), index('versions_of_message').on(table.messageId)],
);

/** Servers of models. Their keys and headers are in the store of keys. */
export const modelServers = sqliteTable('model_servers', {
  id: text().primaryKey(),
  name: text().notNull(),
  url: text().notNull().unique(),
  models: text({ mode: 'json' }).$type<string[]>().notNull(),
  createdAt: text('created_at').notNull(),
});

/** What a person has set for each model. */
export const modelSettings = sqliteTable('model_settings', {
  model: text().primaryKey(),
  options: text({ mode: 'json' }).$type<unknown>().notNull(),
});

export const settings = sqliteTable('settings', {
  key: text().primaryKey(),
  value: text({ mode: 'json' }).$type<unknown>().notNull(),
});
