import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs `action` while no other process runs one under the same file. The lock of a process that died is taken over. Two
 * waiters may do so at the same moment and both go on; the build writes nothing in place, so that costs it only time.
 * @template T
 * @param {string} file created for the time of the action
 * @param {() => Promise<T>} action
 * @returns {Promise<T>}
 */
export async function withLock(file, action) {
  mkdirSync(dirname(file), { recursive: true });
  while (!take(file)) {
    if (isAbandoned(file)) rmSync(file, { force: true });
    else await sleep(20);
  }
  try {
    return await action();
  } finally {
    rmSync(file, { force: true });
  }
}

/** @param {string} file */
function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'EPERM') return false; // Windows: being removed.
    throw error;
  }
}

/** @param {string} file */
function isAbandoned(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    // Between its creation and its content; a process that died there leaves it empty.
    if (pid === 0) return Date.now() - statSync(file).mtimeMs > 5000;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return /** @type {NodeJS.ErrnoException} */ (error).code;
}
