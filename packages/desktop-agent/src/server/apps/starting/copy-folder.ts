import type { Stats } from 'node:fs';
import { cp, lstat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AgentError } from '../../../shared/contract/index.ts';

/** An app that has more is copied by other means. */
const maxEntries = 100_000;
const maxBytes = 4 * 1024 ** 3;

/**
 * Copies what is in a folder, with its history: files, folders, and links as they are. Installed packages, sockets and
 * pipes are left out. So is a `.git` that is a link or a file: two folders would be one worktree.
 *
 * @throws {AgentError} `limit_exceeded`; what `signal` was aborted with
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
  // What the agent keeps there belongs to the app itself: its lock, its unfinished changes.
  if (name === 'mustard-agent' && dirname(path) === join(root, '.git')) return true;
  return !stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink();
}
