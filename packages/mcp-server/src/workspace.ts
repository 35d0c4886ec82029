import { createExecuteSandboxScriptTool, type ExecuteSandboxScriptTool } from '@mustard-sandbox/agent-tool';
import { Files } from './files.ts';
import type { ClientLog } from './log.ts';
import type { McpOptions } from './options.ts';
import { FolderWatch } from './watch.ts';

/** A folder that scripts read in, with its attachments. */
export interface Workspace extends AsyncDisposable {
  tool: ExecuteSandboxScriptTool;
  files: Files;
  /** Checks whether there are other attachments than the client was told. It never throws. */
  checkFiles: () => Promise<void>;
}

/** How long the user may take to answer, in ms. */
const consentTimeoutMs = 5 * 60_000;

interface Context {
  options: McpOptions;
  log: ClientLog;
  /** Where attachments and outputs are kept, if not in the folder that scripts read in: absolute. */
  keepIn?: string;
}

/**
 * One workspace for each folder that the client has named. Workspaces stay until the end, because a folder may come
 * back, and a workspace without calls has no process: an idle sidecar ends by itself.
 */
export class Workspaces implements AsyncDisposable {
  readonly #context: Context;
  readonly #byFolder = new Map<string | undefined, Promise<Workspace>>();

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * @throws {SandboxError} `invalid_request` for a media folder that cannot be used there; the next call tries again
   */
  async at(folder: string | undefined): Promise<Workspace> {
    const opened = this.#byFolder.get(folder) ?? openWorkspace(folder, this.#context);
    this.#byFolder.set(folder, opened);
    opened.catch(() => this.#byFolder.delete(folder));
    return await opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await Promise.allSettled(this.#byFolder.values());
    const workspaces = opened.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    await Promise.all(workspaces.map((workspace) => workspace[Symbol.asyncDispose]()));
  }
}

async function openWorkspace(folder: string | undefined, { options, log, keepIn }: Context): Promise<Workspace> {
  const { attachments, root: given = folder, mediaDir, limits, sandbox, engine, outputs } = options;
  const files = await Files.open({ attachments, root: keepIn ?? given, mediaDir, log });
  let known = await namesOf(files);
  const checkFiles = async (): Promise<void> => {
    const names = await namesOf(files);
    if (names !== known) log.resourcesChanged();
    known = names;
  };
  const watch = files.directory === undefined ? undefined : new FolderWatch(files.directory, () => void checkFiles());
  const tool = createExecuteSandboxScriptTool({
    ...(folder !== undefined && { appPath: folder }),
    attachments: files,
    ...(sandbox !== undefined && { sandbox }),
    ...(files.temporary !== undefined && { mediaDir: files.temporary }),
    settings: { consent: options.consent },
    consentTimeoutMs,
    events: log.events,
    limits,
    engine,
    ...(outputs !== undefined && { outputs }),
  });
  return {
    tool,
    files,
    checkFiles,
    async [Symbol.asyncDispose]() {
      watch?.[Symbol.dispose]();
      await tool.close();
      await files[Symbol.asyncDispose]();
    },
  };
}

/** A text that changes only when the attachments do. */
async function namesOf(files: Files): Promise<string> {
  const listed = await files.list();
  return JSON.stringify(listed.map(({ name, size }) => [name, size]));
}
