import type { Stats } from 'node:fs';
import { cp, lstat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AgentError } from '../../../shared/contract/index.ts';

/** The most files and folders that are copied. The person has to copy a larger app. */
const maxEntries = 100_000;
const maxBytes = 4 * 1024 ** 3;

/**
 * Copies the content of a folder with its history: files, folders, and links as they are. Installed packages, sockets and
 * pipes are left out. A `.git` that is a link or a file is left out too, because two folders would be one worktree.
 *
 * @throws {AgentError} `limit_exceeded`; the reason of `signal` after an abort
 */
export async function copyFolder(from: string, to: string, signal: AbortSignal): Promise<void> {
  let [entries, bytes] = [0, 0];
  const filter = async (path: string): Promise<boolean> => {
    signal.throwIfAborted();
    const stats = await lstat(path);
    if (path !== from && isLeftOut(from, path, stats)) return false;
    bytes += stats.isFile() ? stats.size : 0;
    if (++entries > maxEntries || bytes > maxBytes) {
      const most = `${maxEntries.toLocaleString('en')} files or ${maxBytes / 1024 ** 3} GB`;
      throw new AgentError('limit_exceeded', `${from} has more than ${most}. Copy it in a terminal, and add the copy.`);
    }
    return true;
  };
  await cp(from, to, { recursive: true, verbatimSymlinks: true, errorOnExist: true, force: false, filter });
}

function isLeftOut(root: string, path: string, stats: Stats): boolean {
  const name = basename(path);
  if (name === 'node_modules' || name === '.venv') return stats.isDirectory();
  if (path === join(root, '.git')) return !stats.isDirectory();
  // Whoever holds the lock will never give back the one of the copy.
  if (path === join(root, '.git', 'index.lock')) return true;
  // The agent's lock and unfinished changes are there. They belong to the original app.
  if (name === 'mustard-agent' && dirname(path) === join(root, '.git')) return true;
  return !stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink();
}
