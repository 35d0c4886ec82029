/** One step of the database, from version `n - 1` to `n`. A published step never changes. */
export interface Migration {
  /** For the log. */
  name: string;
  statements: readonly string[];
}

export const migrations: readonly Migration[] = [
  {
    name: 'apps, chats, messages',
    statements: [
      `CREATE TABLE apps (
        id text PRIMARY KEY NOT NULL, name text NOT NULL, path text NOT NULL UNIQUE, context text NOT NULL,
        allows_unjailed integer NOT NULL DEFAULT 0, created_at text NOT NULL, updated_at text NOT NULL, deleted_at text)`,
      `CREATE TABLE chats (
        id text PRIMARY KEY NOT NULL, app_id text NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
        title text NOT NULL, mode text NOT NULL, model text, initial_commit text, workspace_id text,
        created_at text NOT NULL, updated_at text NOT NULL, deleted_at text)`,
      'CREATE INDEX chats_of_app ON chats (app_id)',
      `CREATE TABLE messages (
        position integer PRIMARY KEY AUTOINCREMENT NOT NULL, id text NOT NULL UNIQUE,
        chat_id text NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
        role text NOT NULL, parts text NOT NULL, model_messages text, proposal text, plan text,
        state text NOT NULL, error text, commit_hash text, created_at text NOT NULL)`,
      'CREATE INDEX messages_of_chat ON messages (chat_id, position)',
      `CREATE INDEX messages_streaming ON messages (chat_id) WHERE state = 'streaming'`,
      `CREATE TABLE attachments (
        id text PRIMARY KEY NOT NULL, chat_id text NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
        message_id text REFERENCES messages (id) ON DELETE CASCADE,
        name text NOT NULL, media_type text NOT NULL, bytes integer NOT NULL, path text, created_at text NOT NULL)`,
      'CREATE INDEX attachments_of_message ON attachments (message_id)',
      'CREATE INDEX attachments_of_chat ON attachments (chat_id)',
      `CREATE TABLE versions (
        app_id text NOT NULL REFERENCES apps (id) ON DELETE CASCADE, commit_hash text NOT NULL,
        message_id text REFERENCES messages (id) ON DELETE SET NULL, created_at text NOT NULL,
        PRIMARY KEY (app_id, commit_hash))`,
      'CREATE INDEX versions_of_message ON versions (message_id)',
      'CREATE TABLE settings (key text PRIMARY KEY NOT NULL, value text NOT NULL)',
    ],
  },
  {
    name: 'scripts that were run again',
    statements: [
      `CREATE TABLE reruns (
        position integer PRIMARY KEY AUTOINCREMENT NOT NULL, run_id text NOT NULL UNIQUE,
        chat_id text NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
        rerun_of text NOT NULL, record text NOT NULL)`,
      'CREATE INDEX reruns_of_chat ON reruns (chat_id, position)',
    ],
  },
  {
    name: 'runs of scripts that call tools',
    statements: [
      `CREATE TABLE tool_runs (
        position integer PRIMARY KEY AUTOINCREMENT NOT NULL, run_id text NOT NULL UNIQUE,
        chat_id text NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
        message_id text NOT NULL, is_told integer NOT NULL DEFAULT 0)`,
      'CREATE INDEX tool_runs_of_chat ON tool_runs (chat_id, position)',
    ],
  },
  {
    name: 'apps that were deleted and can be taken back',
    statements: ['ALTER TABLE apps ADD COLUMN deleted_from text'],
  },
  {
    name: 'servers and options of models, what answers cost',
    statements: [
      `CREATE TABLE model_servers (
        id text PRIMARY KEY NOT NULL, name text NOT NULL, url text NOT NULL UNIQUE, models text NOT NULL,
        created_at text NOT NULL)`,
      'CREATE TABLE model_settings (model text PRIMARY KEY NOT NULL, options text NOT NULL)',
      // Earlier versions had one server. Its key is already stored under this id.
      `INSERT INTO model_servers (id, name, url, models, created_at)
        SELECT 'openai-compatible', 'Server', rtrim(trim(json_extract(value, '$.baseUrl')), '/'),
          CASE WHEN coalesce(trim(json_extract(value, '$.serverModel')), '') = '' THEN '[]'
            ELSE json_array(trim(json_extract(value, '$.serverModel'))) END, ''
        FROM settings WHERE key = 'settings' AND trim(json_extract(value, '$.baseUrl')) LIKE 'http%://%'`,
      'ALTER TABLE messages ADD COLUMN usage text',
    ],
  },
  {
    name: 'messages that wait',
    statements: [
      `CREATE TABLE queued_messages (
        position integer PRIMARY KEY AUTOINCREMENT NOT NULL, id text NOT NULL UNIQUE,
        chat_id text NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
        text text NOT NULL, created_at text NOT NULL)`,
      'CREATE INDEX queued_messages_of_chat ON queued_messages (chat_id, position)',
      'ALTER TABLE attachments ADD COLUMN queued_id text REFERENCES queued_messages (id) ON DELETE SET NULL',
    ],
  },
  {
    name: 'plans of the mode Plan',
    statements: ['ALTER TABLE messages ADD COLUMN work_plan text'],
  },
  {
    name: 'going on from an earlier message',
    statements: [
      'ALTER TABLE messages ADD COLUMN head_commit text',
      'ALTER TABLE chats ADD COLUMN continued_from text',
    ],
  },
  {
    name: 'copies of apps with a branch of their own',
    statements: ['ALTER TABLE apps ADD COLUMN copy_of text REFERENCES apps (id) ON DELETE SET NULL'],
  },
];
