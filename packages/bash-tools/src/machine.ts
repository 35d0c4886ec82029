import type { Seed, Seeded } from './workspaces/seed.ts';
import type { Bounded } from './local/control-groups.ts';
import type { Folders } from './local/toolchain.ts';
import type { Output } from './output/output.ts';

/** How a command ended. */
export interface Ended {
  exitCode: number;
  /** The limit that ended it, in words; absent where it ended by itself. */
  killed?: string;
  /** What the model should know beside that. */
  note?: string;
}

export interface RunContext {
  /** Aborted when the command is to end at once, with all that it started. */
  signal: AbortSignal;
  /** Takes what the command writes. */
  output: Output;
}

/** Where the commands of one workspace run, whatever makes it. */
export interface Machine {
  /** How the model is to name the folder. */
  readonly folder: string;
  /** Where the host finds the files; absent where they are not on this machine. */
  readonly hostFolder?: string | undefined;
  /** Where the host finds the home of its commands; absent where it is not on this machine. */
  readonly hostHome?: string | undefined;
  /** The id by which a machine elsewhere is found again. */
  readonly id?: string | undefined;
  /** Rejects only where the machine itself fails. After an abort it settles when nothing of the command is left. */
  run(command: string, context: RunContext): Promise<Ended>;
  /** The first `maxBytes` of a file, and its size. `path` is relative to the folder. */
  readFile(path: string, maxBytes: number): Promise<{ bytes: Buffer; size: number }>;
  writeFile(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<void>;
  /** Where the file of a path is or would be once links are followed, relative to the folder. */
  whereIs(path: string): Promise<string>;
  removeFile(path: string): Promise<void>;
  /** Takes the whole of an output that is too long for the model. */
  keep(path: string): Sink;
  /** Ends processes that only wait for the next command. Files stay. */
  stop(): Promise<void>;
  /** Ends it for good, with all that it holds outside of this machine's disk. */
  dispose(): Promise<void>;
}

export interface WriteOptions {
  /** Refuses a path with a link in it, also one that is put there meanwhile: the path is what a person was asked about. */
  noLinks?: boolean;
}

export interface Sink {
  /** Throws what the system does, such as for a full disk. */
  write(bytes: Buffer): void;
  close(): Promise<void>;
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
  /** What the kernel bounds for all processes of a command together, where that differs by machine. */
  readonly bounds?: readonly Bounded[];
  /** Ends what it keeps running for all its machines, once they are closed. */
  close?(): Promise<void>;
}
