import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SandboxError } from '@mustard-sandbox/protocol';

const most = 256;

/**
 * Claims the first folder in `folder` that no other living worker of this machine uses. So a worker that starts again
 * finds what it has fetched before.
 */
export async function claimFolder(folder: string): Promise<{ path: string; release: () => Promise<void> }> {
  const parent = resolve(folder);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  for (let index = 0; index < most; index++) {
    const path = join(parent, String(index));
    const lock = `${path}.pid`;
    if (await isTaken(lock)) continue;
    await rm(lock, { force: true });
    try {
      await writeFile(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
    } catch (error) {
      // Another worker was faster.
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    }
    claimed.add(lock);
    return { path, release: async () => (claimed.delete(lock), await rm(lock, { force: true })) };
  }
  throw new SandboxError('sidecar_unavailable', `The cache folder already has ${most} workers.`);
}

/** Folders that this process has claimed. */
const claimed = new Set<string>();

async function isTaken(lock: string): Promise<boolean> {
  const pid = Number(await readFile(lock, 'utf8').catch(() => ''));
  // In a container, a worker that died may have had the same pid.
  if (pid === process.pid) return claimed.has(lock);
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
