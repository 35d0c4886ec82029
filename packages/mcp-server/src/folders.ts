import { realpath, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isInside } from '@mustard-sandbox/paths';
import { messageOf } from '@mustard-sandbox/protocol';
import { SandboxError } from '@mustard-sandbox/client';
import {
  inputRequired,
  inputResponse,
  type InputRequiredResult,
  type Root,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { capabilitiesOf } from './capabilities.ts';
import type { ClientLog } from './log.ts';

/** How long a client may take to report its roots, in ms. It asks no person, so this is short. */
const rootsTimeoutMs = 10_000;
const rootsKey = 'roots';

const whatToDo = 'No script can run until the user opens a folder, or starts this server with --root DIR.';

interface FoldersOptions {
  server: Server;
  /** The folder that the user gave to the server. */
  boundary: string | undefined;
  log: ClientLog;
  /** Whether the roots of the client count. */
  asksClient: boolean;
}

/**
 * Decides which folder scripts may read in. A folder that the user gave to the server is the limit: a root of the
 * client inside it narrows it, and any other root changes nothing. Without such a folder it is the folder that the user
 * opened last, or else the first root of the client.
 */
export class Folders {
  readonly #server: Server;
  readonly #boundary: string | undefined;
  readonly #log: ClientLog;
  readonly #asksClient: boolean;
  /** The client's last answer, or the promise of the next one. */
  #roots: Promise<Root[]> | undefined;
  /** The last note that the user was told. */
  #note: string | undefined;
  #opened: string | undefined;

  constructor({ server, boundary, log, asksClient }: FoldersOptions) {
    this.#server = server;
    this.#boundary = boundary;
    this.#log = log;
    this.#asksClient = asksClient;
  }

  /** Call this when the client has other roots. */
  changed(): void {
    this.#roots = undefined;
  }

  /** Makes scripts read in a folder from now on. The user has agreed. @param folder absolute, without links */
  open(folder: string): void {
    this.#opened = folder;
  }

  /**
   * The folder for a request, absolute; `undefined` without one. Or a question that the client must answer first: since
   * 2026-07-28 the question is the answer to a request, and the client then sends the request again.
   *
   * @throws {SandboxError} `invalid_request` when the roots of the client hold no folder, or the client does not report
   * them
   */
  async forRequest(context: ServerContext): Promise<{ folder: string | undefined } | InputRequiredResult> {
    if (this.#opened !== undefined || !this.#hasRoots(context)) return { folder: this.#opened ?? this.#boundary };
    if (context.mcpReq.envelope !== undefined) {
      const response = inputResponse(context.mcpReq.inputResponses, rootsKey);
      if (response.kind === 'roots') this.#roots = Promise.resolve(response.roots);
      // A later round of the same request holds only the answers of that round.
      else if (this.#roots === undefined || context.mcpReq.requestState() === undefined) {
        return inputRequired({ inputRequests: { [rootsKey]: inputRequired.listRoots() } });
      }
    }
    return { folder: await this.#choose() };
  }

  /** The folder as far as it is known, for requests that cannot ask. @throws like `forRequest` */
  async known(context: ServerContext): Promise<string | undefined> {
    if (this.#opened !== undefined) return this.#opened;
    const askable = context.mcpReq.envelope === undefined && this.#hasRoots(context);
    return askable || this.#roots !== undefined ? await this.#choose() : this.#boundary;
  }

  /** Whether scripts may get a folder later. */
  mayHaveFolder(context: ServerContext): boolean {
    return this.#opened !== undefined || this.#boundary !== undefined || this.#hasRoots(context);
  }

  #hasRoots(context: ServerContext): boolean {
    return this.#asksClient && capabilitiesOf(this.#server, context)?.roots !== undefined;
  }

  async #choose(): Promise<string | undefined> {
    const { folder, note } = await chooseFolder(await (this.#roots ??= this.#ask()), this.#boundary);
    if (note !== undefined && note !== this.#note) this.#log.note('notice', note);
    this.#note = note;
    return folder;
  }

  async #ask(): Promise<Root[]> {
    try {
      return (await this.#server.listRoots(undefined, { timeout: rootsTimeoutMs })).roots;
    } catch (error) {
      this.#roots = undefined;
      const problem = `The client did not report its roots: ${messageOf(error)}`;
      if (this.#boundary === undefined) throw new SandboxError('invalid_request', `${problem}. ${whatToDo}`);
      this.#log.note('warning', problem);
      return [];
    }
  }
}

interface Choice {
  folder: string | undefined;
  /** A note for the user about roots that were not used. */
  note?: string;
}

async function chooseFolder(roots: readonly Root[], boundary: string | undefined): Promise<Choice> {
  const found = (await Promise.all(roots.map(({ uri }) => folderOf(uri)))).filter((path) => path !== undefined);
  if (boundary !== undefined) {
    // The folder has been removed since the start. The run reports that.
    const limit = await realpath(boundary).catch(() => boundary);
    return { folder: found.find((path) => isInside(path, [limit])) ?? boundary };
  }
  const [folder, ...others] = [...new Set(found)];
  if (folder === undefined && roots.length > 0) {
    const named = roots.map(({ uri }) => JSON.stringify(uri)).join(', ');
    throw new SandboxError(
      'invalid_request',
      `None of the client's roots is an existing folder: ${named}. ${whatToDo}`,
    );
  }
  if (others.length === 0) return { folder };
  const note = `Scripts read in ${folder}, the first root. To read in ${others.join(', ')}, start a server with --root DIR for each.`;
  return { folder, note };
}

/** The path without links, absolute; `undefined` for anything but a folder. */
async function folderOf(uri: string): Promise<string | undefined> {
  try {
    const path = await realpath(fileURLToPath(uri));
    return (await stat(path)).isDirectory() ? path : undefined;
  } catch {
    return undefined;
  }
}
