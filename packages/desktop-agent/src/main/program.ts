import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Handlers } from '../contract/index.ts';
import { appHandlers } from './apps/handlers.ts';
import { AppStore } from './apps/store.ts';
import { chatHandlers } from './chats/handlers.ts';
import { ChatStore } from './chats/store.ts';
import { openDatabase } from './database/open.ts';
import { openLog } from './log.ts';
import { privateFolder } from './private-files.ts';
import { Pages } from './server/pages.ts';
import { PageServer } from './server/server.ts';
import type { Services } from './services.ts';
import { settingsHandlers } from './settings/handlers.ts';
import { KeyStore } from './settings/keys.ts';
import { SettingsStore } from './settings/store.ts';
import { receiveUploads } from './uploads/receive.ts';
import { UploadStore } from './uploads/store.ts';

export interface ProgramOptions {
  /** Absolute. Made when it is missing. */
  dataDir: string;
  /** Default: any that is free. */
  port?: number;
}

/** A program that runs. */
export interface Program {
  /** With the token, which opens everything: for the person, and never for a log. */
  url: string;
  services: Services;
  close(): Promise<void>;
}

const pageFolder = fileURLToPath(new URL('../page', import.meta.url));

/** @throws {AgentError} `database_newer`, `database_corrupt`, `busy` */
export async function startProgram({ dataDir, port = 0 }: ProgramOptions): Promise<Program> {
  await privateFolder(dataDir);
  const log = await openLog(dataDir);
  const { database, close: closeDatabase } = await openDatabase({ file: join(dataDir, 'agent.db') });
  const pages = new Pages();
  const services: Services = {
    version: await readVersion(),
    dataDir,
    database,
    apps: new AppStore(database),
    chats: new ChatStore(database),
    uploads: new UploadStore(database, dataDir),
    settings: new SettingsStore(database),
    keys: new KeyStore({ dataDir }),
    broadcast: pages.broadcast,
    log,
  };
  await services.chats.markInterrupted();
  const token = randomBytes(32).toString('base64url');
  const upload = receiveUploads(services);
  const server = await PageServer.start({
    port,
    token,
    pageFolder,
    pages,
    handlers: handlersOf(services),
    upload,
    log,
  });
  return {
    url: `http://127.0.0.1:${server.port}/#token=${token}`,
    services,
    close: async () => {
      await server.close();
      closeDatabase();
    },
  };
}

/** Each topic answers its own channels. */
function handlersOf(services: Services): Partial<Handlers> {
  return { ...appHandlers(services), ...settingsHandlers(services), ...chatHandlers(services) };
}

async function readVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
