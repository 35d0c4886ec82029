import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useJournalKey } from './changes/journal-key.ts';
import type { Handlers } from '../shared/contract/index.ts';
import { assembleTurns, type TurnOptions, type TurnRoom } from './turns/assemble.ts';
import { contextHandlers } from './apps/context-handlers.ts';
import { fileHandlers } from './apps/file-handlers.ts';
import { addFolder, appHandlers } from './apps/handlers.ts';
import { recoverApps } from './apps/recover.ts';
import { DeletedApps } from './apps/starting/deleted-apps.ts';
import { AppCopies } from './apps/copies/app-copies.ts';
import { startingHandlers } from './apps/starting/handlers.ts';
import { AppStore } from './apps/store.ts';
import { chatHandlers } from './chats/handlers.ts';
import { Removal } from './chats/removal.ts';
import { QueueStore } from './chats/queue-store.ts';
import { RerunStore } from './chats/rerun-store.ts';
import { ChatStore } from './chats/store.ts';
import { openDatabase } from './database/open.ts';
import { diskFull } from './disk-full.ts';
import { gitHandlers } from './git/handlers.ts';
import { openLog } from './log.ts';
import { ModelOptionsStore } from './models/options-store.ts';
import { ModelServerStore } from './models/server-store.ts';
import { Notices } from './notices.ts';
import { makeConsents } from './consents/consents.ts';
import { previewRoom, type PreviewRoom } from './preview/room.ts';
import { announce, holdDataFolder } from './one-program.ts';
import { privateFolder } from './private-files.ts';
import { Pages } from './http/pages.ts';
import { PageServer } from './http/server.ts';
import { searchHandlers } from './search/handlers.ts';
import type { Services } from './services.ts';
import { settingsHandlers } from './settings/handlers.ts';
import { KeyStore } from './settings/keys.ts';
import { SettingsStore } from './settings/store.ts';
import { stateHandlers } from './state-handlers.ts';
import { keepClean } from './uploads/cleaning.ts';
import { uploadHandlers } from './uploads/handlers.ts';
import { receiveUploads } from './uploads/receive.ts';
import { UploadStore } from './uploads/store.ts';
import { readVersion } from './version.ts';
import { versionHandlers } from './versions/handlers.ts';
import { VersionStore } from './versions/store.ts';
import { endWorkers } from './worker/index.ts';

export interface ProgramOptions {
  /** Absolute. The folder is made when it is missing. */
  dataDir: string;
  /** The default is any free port. */
  port?: number;
  /** Overrides the usual places of models and commands. */
  turns?: TurnOptions;
}

/** A running program. */
export interface Program {
  /** The address with the token, which opens everything. It is for the person, and never for a log. */
  url: string;
  /** An address to start a browser with. It opens one page, within five minutes. @param appId the app to show */
  makeTicketUrl: (appId?: string) => string;
  /** Makes an app of a folder. @returns its id */
  addFolder: (path: string) => Promise<string>;
  services: Services;
  close: () => Promise<void>;
}

const pageFolder = fileURLToPath(new URL('../page', import.meta.url));

/**
 * Starts the one program of a data folder.
 *
 * @throws {AgentError} `already_running` when there is one; `busy` when the port is taken; `database_newer`, `database_corrupt`, `disk_full`
 */
export async function startProgram({ dataDir, port = 0, turns = {} }: ProgramOptions): Promise<Program> {
  const ends = new Ends();
  try {
    return await assemble({ dataDir, port, turns }, ends);
  } catch (error) {
    await ends.close();
    throw (
      diskFull(error, `The disk of ${dataDir} is full, so mustard-agent cannot start. Free some room and try again.`) ??
      error
    );
  }
}

async function assemble({ dataDir, port, turns: options }: Required<ProgramOptions>, ends: Ends): Promise<Program> {
  await privateFolder(dataDir);
  const lock = await holdDataFolder(dataDir);
  ends.add(lock.release);
  await useJournalKey(dataDir);
  const log = await openLog(dataDir);
  const { database, close } = await openDatabase({ file: join(dataDir, 'agent.db') });
  ends.add(close);
  ends.add(endWorkers);
  const pages = new Pages();
  const keys = new KeyStore({ dataDir });
  const services: Services = {
    version: await readVersion(),
    dataDir,
    database,
    apps: new AppStore(database),
    chats: new ChatStore(database),
    queue: new QueueStore(database),
    reruns: new RerunStore(database),
    uploads: new UploadStore(database, dataDir),
    versions: new VersionStore(database),
    settings: new SettingsStore(database),
    keys,
    modelServers: new ModelServerStore(database, keys),
    modelOptions: new ModelOptionsStore(database),
    broadcast: pages.broadcast,
    notices: new Notices(pages.broadcast),
    log,
  };
  const cut = await services.chats.markInterrupted();
  const consents = makeConsents(services);
  const preview = await previewRoom(services, consents);
  ends.add(() => preview[Symbol.asyncDispose]());
  const turns = assembleTurns(services, options, { ...consents, onApplied: preview.onApplied });
  ends.add(() => turns[Symbol.asyncDispose]());
  await turns.recover(cut);
  await recoverApps(services);
  const { stop, forget } = turns;
  const removal = new Removal({ ...services, stop, forget, forgetApp: preview.forget });
  ends.add(() => removal.close());
  await removal.resume();
  await new DeletedApps(services, removal).recover();
  await new AppCopies(services).recover();
  ends.add(keepClean(services));
  const addApp = async (path: string): Promise<string> => (await addFolder(services, path)).id;
  const server = await PageServer.start({
    port,
    pageFolder,
    pages,
    previewPort: preview.port,
    handlers: handlersOf(services, removal, { turns, preview }),
    upload: receiveUploads(services),
    download: turns.download,
    addFolder: addApp,
    log,
  });
  ends.add(() => server.close());
  preview.setFramers(server.port);
  ends.add(await announce(dataDir, server.url));
  return {
    url: server.url,
    makeTicketUrl: (appId) => server.makeTicketUrl(appId),
    addFolder: addApp,
    services,
    close: () => ends.close(),
  };
}

/** The handlers of all topics. Each answers its own channels. */
function handlersOf(
  services: Services,
  removal: Removal,
  { turns, preview }: { turns: TurnRoom; preview: PreviewRoom },
): Handlers {
  return {
    ...stateHandlers(services, turns),
    ...appHandlers(services, removal),
    ...startingHandlers(services, new DeletedApps(services, removal)),
    ...fileHandlers(services),
    ...searchHandlers(services),
    ...contextHandlers(services),
    ...versionHandlers(services),
    ...gitHandlers(services),
    ...chatHandlers(services, removal),
    ...uploadHandlers(services),
    ...settingsHandlers(services),
    ...turns.handlers,
    ...preview.handlers,
  };
}

/** Closes what was opened, in reverse order. Node 20 has no `AsyncDisposableStack`. */
class Ends {
  readonly #ends: (() => unknown)[] = [];

  add(end: () => unknown): void {
    this.#ends.push(end);
  }

  /** Closes all, also when one fails. @throws the first failure */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const end of this.#ends.splice(0).toReversed()) {
      try {
        await end();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
