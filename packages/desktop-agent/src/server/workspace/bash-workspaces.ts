// The workspaces of chats, where commands run.
import { join } from 'node:path';
import type { BackendName, Workspace, Workspaces } from '@mustard-sandbox/bash-tools';
import type { App, Settings } from '../../shared/contract/index.ts';
import { allowedDomains } from './domains.ts';
import { snapshotOf, Snapshots, type Snapshot } from './snapshot.ts';
import type { ChatStore } from '../chats/store.ts';

export interface BashStatus {
  available: boolean;
  /** Why commands cannot run; empty where they can. */
  reason: string;
}

export interface BashWorkspacesOptions {
  /** Absolute. */
  dataDir: string;
  chats: Pick<ChatStore, 'getWorkspace' | 'setWorkspace'>;
  /** Default: a jail of this machine. */
  backend?: BackendName;
  /** Default: that of the process. */
  env?: NodeJS.ProcessEnv;
}

/** A workspace, as an answer finds it. */
export interface OpenedWorkspace {
  workspace: Workspace;
  /** Files that changed in the app, and that commands changed, too: the workspace has what commands made. */
  conflicts: string[];
  /** What its commands may reach by the network. */
  domains: string[];
}

/** Opens at most one workspace a chat, and nothing before a chat has bash tools. */
export class BashWorkspaces implements AsyncDisposable {
  readonly #options: BashWorkspacesOptions;
  readonly #snapshots: Snapshots;
  #all: Promise<Workspaces> | undefined;

  constructor(options: BashWorkspacesOptions) {
    this.#options = options;
    this.#snapshots = new Snapshots(options.dataDir);
  }

  /** Whether the gates are open and the backend can run here. */
  async status({ bash }: Pick<Settings, 'bash'>): Promise<BashStatus> {
    const { gatesOf } = await import('@mustard-sandbox/bash-tools');
    const gates = gatesOf({ enabled: bash, access: 'loopback' }, this.#options.env);
    const closed = gates.filter(({ name, open }) => !open && name !== 'configuration');
    if (closed.length > 0) return { available: false, reason: `${closed.map(({ detail }) => detail).join('; ')}.` };
    try {
      await this.#open();
    } catch (error) {
      return { available: false, reason: error instanceof Error ? error.message : String(error) };
    }
    if (!bash) return { available: true, reason: 'Commands are turned off in the settings.' };
    return { available: true, reason: '' };
  }

  /**
   * The workspace of a chat: a copy of the app when it is new, and later what commands made of it, with what has changed in
   * the app since. No command may run in it meanwhile.
   */
  async of(
    chatId: string,
    app: App,
    settings: Pick<Settings, 'network'>,
    signal: AbortSignal,
  ): Promise<OpenedWorkspace> {
    const all = await this.#open();
    const id = await this.#options.chats.getWorkspace(chatId);
    if (id !== null && (await all.list()).includes(id)) {
      const workspace = await all.open({ id, signal });
      const conflicts = await this.#follow(workspace, app);
      await workspace.useProject(app.path, signal);
      return { workspace, conflicts, domains: await this.#domainsFor(workspace, settings) };
    }
    const workspace = await all.open({ seed: { upload: { path: app.path } }, signal });
    const { hostFolder } = workspace;
    if (hostFolder !== undefined) await this.#snapshots.save(workspace.id, await snapshotOf(hostFolder, app.path));
    await this.#options.chats.setWorkspace(chatId, workspace.id);
    await workspace.useProject(app.path, signal);
    return { workspace, conflicts: [], domains: await this.#domainsFor(workspace, settings) };
  }

  /** None where commands have no network of this kind, so that a question promises nothing else. */
  async #domainsFor({ reachesDomains }: Workspace, settings: Pick<Settings, 'network'>): Promise<string[]> {
    return reachesDomains ? await allowedDomains(settings) : [];
  }

  async #follow({ id, hostFolder }: Workspace, app: App): Promise<string[]> {
    const base = hostFolder === undefined ? undefined : await this.#snapshots.load(id);
    if (hostFolder === undefined || base === undefined) return [];
    const { follow } = await import('./follow.ts');
    const followed = await follow({ workspace: hostFolder, app: app.path, base });
    await this.#snapshots.save(id, followed.base);
    return followed.conflicts;
  }

  /** Where the files of a chat's workspace are, and what it was filled with; `undefined` before its first command. */
  async find(chatId: string): Promise<{ folder: string; base: Snapshot | undefined } | undefined> {
    const id = await this.#options.chats.getWorkspace(chatId);
    if (id === null) return undefined;
    const all = await this.#open();
    if (!(await all.list()).includes(id)) return undefined;
    const { hostFolder: folder } = await all.open({ id });
    return folder === undefined ? undefined : { folder, base: await this.#snapshots.load(id) };
  }

  /** Ends what runs in the workspace of a chat and removes it. The next use makes one of the app as it is then. */
  async remove(chatId: string): Promise<void> {
    const id = await this.#options.chats.getWorkspace(chatId);
    if (id === null) return;
    const all = await this.#open();
    if ((await all.list()).includes(id)) await all.remove(id);
    await this.#snapshots.remove(id);
    await this.#options.chats.setWorkspace(chatId, null);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#all?.catch(() => undefined))?.close();
  }

  async #open(): Promise<Workspaces> {
    const { createWorkspaces } = await import('@mustard-sandbox/bash-tools');
    const { dataDir, backend } = this.#options;
    this.#all ??= createWorkspaces({ directory: join(dataDir, 'workspaces'), ...(backend && { backend }) });
    this.#all.catch(() => (this.#all = undefined));
    return await this.#all;
  }
}
