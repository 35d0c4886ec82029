import type { Folders } from './local/toolchain.ts';
import type { Machine } from './machine.ts';
import type { Seed, Seeded } from './workspaces/seed.ts';

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
  /** Ends what it keeps running for all its machines, once they are closed. */
  close?(): Promise<void>;
}
