import type { Seed, Seeded } from './workspaces/seed.ts';
import type { Bounded } from './backends/local/control-groups.ts';
import type { ProjectParts } from './backends/local/project.ts';
import type { Folders } from './backends/local/toolchain.ts';
import type { Reached } from './network/reached.ts';
import type { Output, Sink } from './output/output.ts';

/** How a command ended. */
export interface Ended {
  exitCode: number;
  /** The limit that ended it, in words. Absent when it ended by itself. */
  killed?: string;
  /** A further note for the model. */
  note?: string;
  /** What it reached by the network, if it was allowed domains. */
  reached?: Reached;
}

export interface RunContext {
  /** Aborted when the command must end at once, with everything that it started. */
  signal: AbortSignal;
  /** Takes the output of the command. */
  output: Output;
  /** Set when no person was asked. In a folder of the user, files that run by themselves then stay unchanged. */
  holdBack?: boolean;
  /** What it may reach by the network. Only a machine with `reachesDomains` does. */
  domains?: readonly string[];
}

/** Where the commands of one workspace run, whatever the backend. */
export interface Machine {
  /** The name of the folder for the model. */
  readonly folder: string;
  /** Where the host finds the files. Absent when they are not on this machine. */
  readonly hostFolder?: string | undefined;
  /** Where the host finds the home of its commands. Absent when it is not on this machine. */
  readonly hostHome?: string | undefined;
  /** The id by which a machine elsewhere is found again. */
  readonly id?: string | undefined;
  /** Whether its commands can have a part of the network. */
  readonly reachesDomains?: boolean;
  /** Why `holdBack` is not possible in this folder, in words; `undefined` when it is. */
  whyNotHeld?(): string | undefined;
  /** Lets commands read what is never copied of a project. Absent where they run elsewhere. */
  useProject?(project: string, signal?: AbortSignal): Promise<ProjectParts>;
  /** Rejects only when the machine itself fails. After an abort it settles when nothing of the command is left. */
  run(command: string, context: RunContext): Promise<Ended>;
  /** The first `maxBytes` of a file, and its size. `path` is relative to the folder. */
  readFile(path: string, maxBytes: number): Promise<{ bytes: Buffer; size: number }>;
  writeFile(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<void>;
  /** Where the file of a path is, or would be, after all links are followed. The result is relative to the folder. */
  whereIs(path: string): Promise<string>;
  removeFile(path: string): Promise<void>;
  /** Opens a file for the whole of an output that is too long for the model. */
  keep(path: string): Sink;
  /** Ends processes that only wait for the next command. Files stay. */
  stop(): Promise<void>;
  /** Ends it for good, with everything that it holds on other machines. */
  dispose(): Promise<void>;
}

export interface WriteOptions {
  /**
   * Refuses a path with a link in it, even a link that is put there meanwhile, because the person was asked about this
   * path.
   */
  noLinks?: boolean;
}

/** Makes the machines of workspaces. */
export interface Backend {
  /**
   * Fills the folders of a new workspace.
   *
   * @throws {BashError} `seed_failed`
   */
  seed(folders: Folders, seed: Seed, signal: AbortSignal | undefined): Promise<Seeded>;
  /** @param id of the workspace, by which a machine elsewhere is found again */
  machine(folders: Folders, id: string): Machine;
  /** What the kernel bounds for all processes of a command together, if that differs by machine. */
  readonly bounds?: readonly Bounded[];
  /** Frees what it keeps for all its machines, after they are closed. */
  close?(): Promise<void>;
}
