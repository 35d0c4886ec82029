import type { Backend } from '../machine.ts';
import type { BackendName, ParsedOptions } from '../workspaces/options.ts';

interface BackendEntry {
  /** Whether commands run on this machine, so that they may work directly in a folder of it. */
  isHere: boolean;
  /**
   * Loads only the backend that is asked for.
   *
   * @param state a folder that only this process uses
   * @throws {BashError} `backend_unavailable`
   */
  make: (options: ParsedOptions, state: string) => Promise<Backend>;
}

/** Every backend. */
export const backends: Record<BackendName, BackendEntry> = {
  local: {
    isHere: true,
    make: async (options, state) => (await import('./local/backend.ts')).localBackend(options, state),
  },
  memory: {
    isHere: true,
    make: async (options, state) => (await import('./memory/backend.ts')).memoryBackend(options, state),
  },
  vercel: {
    isHere: false,
    make: async (options) => (await import('./vercel/backend.ts')).vercelBackend(options),
  },
};
