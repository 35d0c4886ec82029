import { SandboxError } from '@mustard-sandbox/client';
import { Life } from '@mustard-sandbox/agent-tool/host';
import { formatBytes } from '@mustard-sandbox/agent-tool';
import type { Backend, Machine, WriteOptions } from '../machine.ts';
import { BashError } from '../errors.ts';
import type { BashLimits } from '../limits.ts';
import { noProject, type ProjectParts } from '../backends/local/project.ts';
import type { Folders } from '../backends/local/toolchain.ts';
import { runCommand, type BashResult, type RunCommandOptions } from './command.ts';
import type { CommandQueue } from './queue.ts';
import type { Seeded } from './seed.ts';
import { realFolder } from './upload.ts';

/** The interface `Sandbox` of the package bash-tool. */
export interface BashToolSandbox {
  /** Runs a command. */
  executeCommand: (command: string) => Promise<{ stdout: string; stderr: string; exitCode: number }>;
  /** A file as text. */
  readFile: (path: string) => Promise<string>;
  /** Writes files, one after the other. */
  writeFiles: (files: { path: string; content: string | Buffer }[]) => Promise<void>;
}

interface WorkspaceParts {
  id: string;
  temporary: boolean;
  limits: BashLimits;
  queue: CommandQueue;
  backend: Backend;
  folders: Folders;
  seeded: Seeded;
  /** Makes the folders again. Absent for a folder of the user. */
  fill?: (signal?: AbortSignal) => Promise<{ folders: Folders; seeded: Seeded }>;
  onClose: () => Promise<void>;
}

/** How many bytes of a file the model gets in one call. */
const maxReadBytes = 256 * 1024;

/** The files and commands of one chat. Made by `Workspaces.open`. */
export class Workspace implements AsyncDisposable {
  /** The id, for the host to keep with the chat. */
  readonly id: string;
  /** Whether it is removed when it is closed. */
  readonly temporary: boolean;
  readonly #parts: WorkspaceParts;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #machine: Machine;
  #seeded: Seeded;
  #project: { folder: string; parts: ProjectParts } | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(parts: WorkspaceParts) {
    this.id = parts.id;
    this.temporary = parts.temporary;
    this.#parts = parts;
    this.#seeded = parts.seeded;
    this.#machine = parts.backend.machine(parts.folders, parts.id);
  }

  /** The name of the folder for commands: `/workspace`. */
  get folder(): string {
    return this.#machine.folder;
  }

  /** Where the files are on this machine, as a root for scripts. Absent when they are elsewhere. */
  get hostFolder(): string | undefined {
    return this.#machine.hostFolder;
  }

  /** Whether its files are a folder of the user, used directly and not copied. */
  get isUsersFolder(): boolean {
    return this.#parts.folders.isUsers === true;
  }

  /** Where the home of its commands is on this machine. Absent when it is elsewhere. */
  get hostHome(): string | undefined {
    return this.#machine.hostHome;
  }

  /** What commands have of a project, as `useProject` said the last time. */
  get project(): ProjectParts {
    return this.#project?.parts ?? noProject;
  }

  /** Whether its commands can have a part of the network, by `domains`. */
  get reachesDomains(): boolean {
    return this.#machine.reachesDomains === true;
  }

  /** Why `holdBack` is not possible for a command here; `undefined` when it is. */
  get whyNotHeld(): string | undefined {
    return this.isUsersFolder ? this.#machine.whyNotHeld?.() : undefined;
  }

  /** What it was filled with when it was opened or reset. */
  get seeded(): Seeded {
    return this.#seeded;
  }

  get limits(): BashLimits {
    return this.#parts.limits;
  }

  /**
   * Runs a command in a shell when its turn comes. A mistake of the command is a result, and so is a limit, including
   * that of time.
   *
   * @throws {BashError} `queue_full`, `queue_timeout`, `closed`
   * @throws {SandboxError} `cancelled` when a signal was aborted; nothing of the command is left then
   */
  async run(command: string, options: RunCommandOptions = {}): Promise<BashResult> {
    this.#assertOpen();
    using life = new Life([options.signal, this.#closing.signal]);
    return await this.#during(
      this.#parts.queue.inTurn(life.signal, () =>
        runCommand(this.#machine, this.limits, command, { ...options, signal: life.signal }),
      ),
    );
  }

  /**
   * Lets commands read what is not copied of a folder: `node_modules`, `.venv` and the history in `.git`. Call it again
   * when these have changed. With the backend `local` only; elsewhere commands have none of it.
   *
   * @param project absolute
   * @returns which of them commands have now
   * @throws {BashError} `seed_failed` when the folder is missing
   * @throws {SandboxError} `cancelled`
   */
  async useProject(project: string, signal?: AbortSignal): Promise<ProjectParts> {
    this.#assertOpen();
    if (this.isUsersFolder || this.#machine.useProject === undefined) return noProject;
    const folder = await realFolder(project);
    const parts = await this.#during(this.#machine.useProject(folder, signal));
    this.#project = { folder, parts };
    return parts;
  }

  /** The workspace in the form that the package bash-tool needs: `createBashTool({ sandbox: workspace.sandbox })`. */
  get sandbox(): BashToolSandbox {
    return {
      executeCommand: async (command) => {
        const { stdout, stderr, exitCode } = await this.run(command);
        return { stdout, stderr, exitCode };
      },
      readFile: (path) => this.readFile(path),
      writeFiles: async (files) => {
        for (const { path, content } of files) await this.writeFile(path, content);
      },
    };
  }

  /**
   * A file as text. Of a file that is longer than 256 KiB it returns the beginning, which says so at its end.
   *
   * @param path relative to the folder, or absolute and in it
   * @throws {SandboxError} `capability_denied`, `script_error`
   */
  async readFile(path: string): Promise<string> {
    this.#assertOpen();
    const { bytes, size } = await this.#during(this.#machine.readFile(this.#relative(path), maxReadBytes));
    const text = bytes.toString('utf8');
    if (size <= bytes.length) return text;
    const shown = text.slice(0, text.lastIndexOf('\n') + 1 || text.length);
    return `${shown}…(truncated) ${formatBytes(size)} in all. Read the rest in parts, such as by sed -n '1000,2000p'.`;
  }

  /**
   * Writes a whole file, and makes the folders above it.
   *
   * @throws {SandboxError} like `readFile`
   */
  async writeFile(path: string, content: string | Uint8Array, options: WriteOptions = {}): Promise<void> {
    this.#assertOpen();
    await this.#during(this.#machine.writeFile(this.#relative(path), content, options));
  }

  /**
   * Where the file of a path is, or would be, after all links are followed. The result is relative to the folder.
   *
   * @throws {SandboxError} like `readFile`
   */
  async whereIs(path: string): Promise<string> {
    this.#assertOpen();
    return await this.#during(this.#machine.whereIs(this.#relative(path)));
  }

  /**
   * Ends what runs, removes all files, and fills the workspace again with its seed.
   *
   * @throws {BashError} `seed_failed`: then it is closed
   * @throws {SandboxError} `invalid_request` for a folder of the user, which is never removed
   */
  async reset(): Promise<void> {
    this.#assertOpen();
    const { fill, backend, id } = this.#parts;
    if (fill === undefined) {
      throw new SandboxError('invalid_request', 'reset(): this is a folder of yours, which is used as it is.');
    }
    await this.#machine.dispose();
    const { folders, seeded } = await fill(this.#closing.signal);
    this.#seeded = seeded;
    this.#machine = backend.machine(folders, id);
    if (this.#project !== undefined) await this.useProject(this.#project.folder, this.#closing.signal);
  }

  /** Ends it for good, with what it holds elsewhere. The caller removes its files here. */
  async dispose(): Promise<void> {
    await this.#machine.dispose();
    await this.close();
  }

  /** Ends processes that wait for commands, and clears its /tmp. The next command starts them again. */
  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#machine.stop();
  }

  /** Closes it. Files stay, except those of a temporary workspace. It may be called again. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new Error('The workspace was closed.'));
    clearTimeout(this.#idle);
    await Promise.allSettled(this.#running);
    await (this.temporary ? this.#machine.dispose() : this.#machine.stop());
    await this.#parts.onClose();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #relative(path: string): string {
    const { folder } = this.#machine;
    if (path === folder) return '.';
    return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
  }

  async #during<T>(work: Promise<T>): Promise<T> {
    clearTimeout(this.#idle);
    this.#running.add(work);
    try {
      return await work;
    } finally {
      this.#running.delete(work);
      if (this.#running.size === 0 && !this.#closing.signal.aborted) {
        this.#idle = setTimeout(() => void this.#machine.stop(), this.limits.idleTtlMs).unref();
      }
    }
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw new BashError('closed', 'The workspace was closed.');
  }
}
