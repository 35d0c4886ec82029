import { SandboxError } from '@mustard-sandbox/client';
import { parseOptions } from '@mustard-sandbox/agent-tool/host';
import * as z from 'zod';
import { backends } from '../backends/index.ts';
import type { Backend } from '../machine.ts';
import { BashError } from '../errors.ts';
import type { Bounded } from '../backends/local/control-groups.ts';
import type { BashLimits } from '../limits.ts';
import { makeFolders } from '../backends/local/folder-machine.ts';
import type { Folders } from '../backends/local/toolchain.ts';
import { workspacesOptionsSchema, type BackendName, type ParsedOptions, type WorkspacesOptions } from './options.ts';
import { realFolder } from './upload.ts';
import { WorkspaceStore, remove } from './store.ts';
import { CommandQueue } from './queue.ts';
import { nothingSeeded, seedSchema, type Seed, type Seeded } from './seed.ts';
import { Workspace } from './workspace.ts';

const openOptionsSchema = z.strictObject({
  /** The id of an existing workspace. Without it, a new one is made. */
  id: z.string().optional(),
  /** What fills a new workspace. Without it, the workspace is empty. */
  seed: seedSchema.optional(),
  /** Whether the workspace is removed when it is closed or when the host ends. */
  temporary: z.boolean().default(false),
  /** A folder of the user, absolute, which is used directly. What commands change there is changed for good. */
  folder: z.string().startsWith('/', 'must be an absolute path').optional(),
  /** Aborting it ends the filling. */
  signal: z.instanceof(AbortSignal, { error: 'must be an AbortSignal' }).optional(),
});

/** Options of `open`. Unknown keys are refused. */
export type OpenOptions = z.input<typeof openOptionsSchema>;

/** The workspaces of a host, one for each chat. */
export class Workspaces implements AsyncDisposable {
  readonly backend: BackendName;
  readonly limits: BashLimits;
  readonly #store: WorkspaceStore;
  readonly #backend: Backend;
  readonly #state: string;
  readonly #queue: CommandQueue;
  readonly #open = new Map<string, Promise<Workspace>>();
  #isClosed = false;

  constructor(options: ParsedOptions, store: WorkspaceStore, backend: Backend, state: string) {
    this.backend = options.backend;
    this.limits = options.limits;
    this.#store = store;
    this.#backend = backend;
    this.#state = state;
    this.#queue = new CommandQueue(options.limits);
  }

  /** What control groups bound here for all processes of a command together. Absent when there are none. */
  get bounds(): readonly Bounded[] | undefined {
    return this.#backend.bounds;
  }

  /**
   * Opens a workspace, or makes one. Opening the same id again returns the same object.
   *
   * @throws {BashError} `not_found`, `seed_failed`, `closed`
   * @throws {SandboxError} `invalid_request`, `cancelled`
   */
  async open(options: OpenOptions = {}): Promise<Workspace> {
    const parsed = parseOptions(openOptionsSchema, options, 'open()');
    this.#assertOpen();
    const { id = this.#store.newId() } = parsed;
    if (parsed.folder !== undefined && (parsed.seed !== undefined || parsed.id !== undefined)) {
      throw new SandboxError(
        'invalid_request',
        'open(): `folder` cannot be combined with `id` or `seed`, because the folder is used directly.',
      );
    }
    if (parsed.folder !== undefined && !backends[this.backend].isHere) {
      throw new SandboxError(
        'invalid_request',
        'open(): this backend runs elsewhere, and does not get a folder of this machine. Use `seed`.',
      );
    }
    const opened = this.#open.get(id) ?? this.#make(id, parsed);
    this.#open.set(id, opened);
    opened.catch(() => this.#open.delete(id));
    return await opened;
  }

  /** Ids of all workspaces that are kept. Temporary ones are left out. */
  async list(): Promise<string[]> {
    return await this.#store.ids();
  }

  /** Ends a workspace and removes its files. */
  async remove(id: string): Promise<void> {
    await (await this.open({ id })).dispose();
    await this.#store.clear(id);
  }

  /** Ends all commands. Workspaces stay, except temporary ones. May be called again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const opened = await Promise.allSettled(this.#open.values());
    await Promise.all(opened.map(async (one) => (one.status === 'fulfilled' ? await one.value.close() : undefined)));
    await this.#backend.close?.();
    await remove(this.#state);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #make(id: string, options: z.output<typeof openOptionsSchema>): Promise<Workspace> {
    const { temporary, signal } = options;
    const folder = options.folder === undefined ? undefined : await realFolder(options.folder);
    const known = options.id === undefined ? undefined : await this.#store.stateOf(id);
    if (options.id !== undefined && known === undefined) throw notFound(id);
    const seed = known === undefined ? options.seed : known.seed;
    const own = temporary || folder !== undefined ? await this.#store.own('temporary') : undefined;
    const fill = async (signal?: AbortSignal): Promise<{ folders: Folders; seeded: Seeded }> => {
      if (own !== undefined) await clearOut(own);
      return await this.#fill(id, own, seed, signal);
    };
    try {
      const made = folder !== undefined || known !== undefined ? undefined : await fill(signal);
      const folders = made?.folders ?? (await makeFolders(own ?? this.#store.folderOf(id)));
      return new Workspace({
        id,
        temporary,
        limits: this.limits,
        queue: this.#queue,
        backend: this.#backend,
        folders: folder === undefined ? folders : { ...folders, files: folder, isUsers: true },
        seeded: made?.seeded ?? nothingSeeded,
        ...(folder === undefined && { fill }),
        onClose: async () => {
          this.#open.delete(id);
          if (own !== undefined) await remove(own);
        },
      });
    } catch (error) {
      if (own !== undefined) await remove(own);
      throw error;
    }
  }

  /** Makes the folders of a workspace, and fills them. */
  async #fill(
    id: string,
    own: string | undefined,
    seed: Seed | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{ folders: Folders; seeded: Seeded }> {
    const folder = own ?? (await this.#store.own('partial'));
    try {
      const folders = await makeFolders(folder);
      const seeded = seed === undefined ? nothingSeeded : await this.#backend.seed(folders, seed, signal);
      if (own !== undefined) return { folders, seeded };
      await this.#store.settle(folder, id, { version: 1, ...(seed !== undefined && { seed: withoutSecrets(seed) }) });
      return { folders: await makeFolders(this.#store.folderOf(id)), seeded };
    } catch (error) {
      if (own === undefined) await remove(folder);
      throw error;
    }
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new BashError('closed', 'The workspaces were closed.');
  }
}

/**
 * Makes the workspaces of a host, and removes what a host that was killed left behind.
 *
 * @throws {BashError} `backend_unavailable` with what is missing: there is no way to run commands on the machine itself
 * @throws {SandboxError} `invalid_request` naming every wrong option
 */
export async function createWorkspaces(options: WorkspacesOptions): Promise<Workspaces> {
  const parsed = parseOptions(workspacesOptionsSchema, options, 'createWorkspaces()');
  const store = await WorkspaceStore.open(parsed.directory);
  const state = await store.own('state');
  try {
    return new Workspaces(parsed, store, await backends[parsed.backend].make(parsed, state), state);
  } catch (error) {
    await remove(state);
    throw error;
  }
}

/** The seed for the file that is kept. */
function withoutSecrets(seed: Seed): Seed {
  if (seed.git === undefined) return seed;
  const { credentials: _, ...rest } = seed.git;
  return { git: rest };
}

async function clearOut(folder: string): Promise<void> {
  const { readdir } = await import('node:fs/promises');
  for (const name of await readdir(folder)) await remove(`${folder}/${name}`);
}

function notFound(id: string): BashError {
  return new BashError('not_found', `The workspace ${JSON.stringify(id)} no longer exists.`);
}
