import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { invalidRequest, SandboxError } from '@mustard-sandbox/protocol';
import { isFull } from '../store/problems.ts';

const processFile = 'pid';

/**
 * Makes a folder the store of this process. Only one server at a time may use it, because two would remove each other's
 * files.
 *
 * @throws {SandboxError} `invalid_request` for a store that another server uses, and for one on a full disk
 */
export async function takeStore(store: string): Promise<void> {
  try {
    await mkdir(store, { recursive: true, mode: 0o700 });
    await chmod(store, 0o700);
    const other = Number(await readFile(join(store, processFile), 'utf8').catch(() => '0'));
    if (other > 0 && other !== process.pid && isAlive(other)) {
      throw invalidRequest(
        'serveSandboxes()',
        `another server (process ${other}) uses the store; choose one with --store`,
      );
    }
    await mark(store).catch(async (error: unknown) => {
      if (!isFull(error)) throw error;
      // Everything that is there can be sent again.
      await empty(store);
      await mark(store);
    });
  } catch (error) {
    if (error instanceof SandboxError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const why = isFull(error) ? 'its disk is full' : `it cannot be used (${code ?? 'error'})`;
    throw invalidRequest(
      'serveSandboxes()',
      `the store at ${JSON.stringify(store)}: ${why}; make room, or choose another one with --store`,
    );
  }
}

/** Frees the store for the next server. */
export async function leaveStore(store: string): Promise<void> {
  await rm(join(store, processFile), { force: true });
}

async function mark(store: string): Promise<void> {
  if (await wasRebooted(store)) await empty(store);
  await writeFile(join(store, processFile), String(process.pid), { mode: 0o600 });
}

async function empty(store: string): Promise<void> {
  for (const entry of await readdir(store, { withFileTypes: true })) {
    if (entry.isDirectory()) await rm(join(store, entry.name), { recursive: true, force: true });
  }
}

/**
 * Whether the machine was rebooted since a server last used the folder. A file that was written shortly before may then
 * be incomplete under its final name.
 */
async function wasRebooted(store: string): Promise<boolean> {
  const file = join(store, 'boot-id');
  const now = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => String(Date.now()));
  const before = await readFile(file, 'utf8').catch(() => undefined);
  if (before === now) return false;
  await writeFile(file, now, { mode: 0o600 });
  return before !== undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
