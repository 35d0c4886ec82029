import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * What a process holds in memory, in bytes; `undefined` where that cannot be asked for.
 *
 * @param {number} pid
 */
export function residentBytes(pid) {
  if (process.platform === 'win32') return undefined;
  const kilobytes =
    process.platform === 'linux'
      ? /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  return Number(kilobytes) * 1024;
}
