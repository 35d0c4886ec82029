import type { Backend } from '../../machine.ts';
import { BashError } from '../../errors.ts';
import { nothingSeeded } from '../../workspaces/seed.ts';
import type { JailKit } from '../local/jail.ts';
import { closeKit, localKit } from '../local/local.ts';
import type { ParsedOptions } from '../../workspaces/options.ts';
import { clone, trackedFiles } from '../../workspaces/git.ts';
import { upload } from '../../workspaces/upload.ts';
import { MemoryMachine } from './machine.ts';

/**
 * just-bash, an interpreter of bash without native code, for any machine.
 *
 * @param state a folder that only this process uses
 * @throws {BashError} `backend_unavailable`
 */
export async function memoryBackend(options: ParsedOptions, state: string): Promise<Backend> {
  if (options.network) throw unavailable('it has no network: leave out `network`');
  try {
    await import('just-bash');
  } catch (error) {
    throw unavailable('the package just-bash is not installed: `npm install just-bash`', error);
  }
  // Only git needs a jail, and only when a workspace is filled with git.
  let kit: JailKit | undefined;
  const gitKit = async (): Promise<JailKit> => (kit ??= await localKit({ ...options, state }));
  return {
    async seed(folders, { git, upload: seed }, signal) {
      if (git !== undefined) {
        await clone(await gitKit(), folders, git, signal);
        return nothingSeeded;
      }
      if (seed === undefined) return nothingSeeded;
      const tracked = seed.include === undefined ? await trackedFiles(gitKit, folders, seed.path, signal) : undefined;
      return await upload({ seed, target: folders.files, limits: options.limits, tracked, signal });
    },
    machine: (folders) => new MemoryMachine(options.limits, folders),
    async close() {
      if (kit !== undefined) await closeKit(kit);
    },
  };
}

function unavailable(why: string, cause?: unknown): BashError {
  return new BashError('backend_unavailable', `The backend memory cannot run here: ${why}.`, {
    details: { backend: 'memory' },
    cause,
  });
}
