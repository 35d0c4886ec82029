import type { Seed, Seeded } from './workspaces/seed.ts';
import type { Bounded } from './backends/local/control-groups.ts';
import type { Folders } from './backends/local/toolchain.ts';
import type { Output, Sink } from './output/output.ts';

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
  /** No person was asked: in a folder of the user's, what runs by itself stays as it is. */
  holdBack?: boolean;
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
  /** Why `holdBack` cannot be kept in this folder, in words; `undefined` where it can. */
  whyNotHeld?(): string | undefined;
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
