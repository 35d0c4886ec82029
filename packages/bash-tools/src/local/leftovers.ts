import { readdirSync, readFileSync } from 'node:fs';

/**
 * Ends what is left of the jails of a host that is gone. The kernel ends a jail with its host, but for the first
 * milliseconds of bwrap: what it has forked for the inside then waits for it for ever, or outlives it with a command.
 *
 * @param state the folder of that host alone: each of its jails has files of it among its mounts
 */
export function endLeftBehind(state: string): void {
  if (process.platform !== 'linux') return;
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid) || !argumentsOf(pid).some((argument) => argument.startsWith(`${state}/`))) continue;
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // Gone by itself, or another user's.
    }
  }
}

function argumentsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
