import { readdirSync, readFileSync } from 'node:fs';

const hasProc = process.platform === 'linux';

/** Whether the process runs. A zombie does not: it only waits for its parent to take note. @param {number} pid */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !hasProc || !/^State:\s+[ZX]/m.test(readProc(pid, 'status') ?? 'State: X');
}

/** @param {number} pid @param {NodeJS.Signals} signal @returns whether it was there */
export function sendSignal(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** A field of `/proc/PID/status` that is a size, in bytes; `null` where there is none. @param {number} pid */
export function statusBytes(pid, field) {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readProc(pid, 'status') ?? '');
  return match === null ? null : Number(match[1]) * 1024;
}

/** Open file descriptors; `null` where that cannot be told. @param {number} pid */
export function openHandles(pid) {
  if (!hasProc) return null;
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return null;
  }
}

/**
 * Processes that were started with `TMPDIR` set to `marker`. The client passes that variable on to its
 * sidecars, so this finds also those whose pid nobody wrote down. Linux only; elsewhere empty.
 *
 * @param {string} marker
 */
export function markedProcesses(marker) {
  if (!hasProc) return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const marked = pids.filter((pid) => readProc(pid, 'environ')?.split('\0').includes(`TMPDIR=${marker}`));
  return marked.map(Number).filter((pid) => pid !== process.pid && isAlive(pid));
}

function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
