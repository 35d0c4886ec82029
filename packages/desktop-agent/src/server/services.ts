import type { Broadcast } from '../shared/contract/index.ts';
import type { AppStore } from './apps/store.ts';
import type { QueueStore } from './chats/queue-store.ts';
import type { RerunStore } from './chats/rerun-store.ts';
import type { ChatStore } from './chats/store.ts';
import type { OpenDatabase } from './database/open.ts';
import type { Logger } from './log.ts';
import type { ModelOptionsStore } from './models/options-store.ts';
import type { ModelServerStore } from './models/server-store.ts';
import type { Notices } from './notices.ts';
import type { KeyStore } from './settings/keys.ts';
import type { SettingsStore } from './settings/store.ts';
import type { UploadStore } from './uploads/store.ts';
import type { VersionStore } from './versions/store.ts';

/** What every topic of the program gets. Each topic has a function that takes the services and returns its handlers. */
export interface Services {
  /** The version of mustard-agent. */
  version: string;
  /** Absolute. Only this user may enter it. */
  dataDir: string;
  database: OpenDatabase['database'];
  apps: AppStore;
  chats: ChatStore;
  queue: QueueStore;
  reruns: RerunStore;
  uploads: UploadStore;
  versions: VersionStore;
  settings: SettingsStore;
  keys: KeyStore;
  modelServers: ModelServerStore;
  modelOptions: ModelOptionsStore;
  broadcast: Broadcast;
  notices: Notices;
  /** The log, which never gets contents of files and chats, or keys. */
  log: Logger;
}
