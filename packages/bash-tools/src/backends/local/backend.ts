import type { Backend } from '../../machine.ts';
import type { ParsedOptions } from '../../workspaces/options.ts';
import { nothingSeeded } from '../../workspaces/seed.ts';
import { clone, trackedFiles } from '../../workspaces/git.ts';
import { upload } from '../../workspaces/upload.ts';
import { closeKit, localKit } from './local.ts';
import { LocalMachine } from './machine.ts';

/**
 * Jails on this machine.
 *
 * @param state a folder that only this process uses
 * @throws {BashError} `backend_unavailable`
 */
export async function localBackend(options: ParsedOptions, state: string): Promise<Backend> {
  const kit = await localKit({ ...options, state });
  if (options.network) {
    options.onWarning?.('Commands can reach the network, and whatever listens on this machine (network = true).');
  }
  return {
    async seed(folders, seed, signal) {
      if (seed.git !== undefined) {
        await clone(kit, folders, seed.git, signal);
        return nothingSeeded;
      }
      if (seed.upload === undefined) return nothingSeeded;
      const { path, include } = seed.upload;
      const tracked = include === undefined ? await trackedFiles(async () => kit, folders, path, signal) : undefined;
      return await upload({ seed: seed.upload, target: folders.files, limits: options.limits, tracked, signal });
    },
    machine: (folders) => new LocalMachine(kit, folders),
    bounds: kit.groups?.bounds ?? [],
    close: async () => closeKit(kit),
  };
}
