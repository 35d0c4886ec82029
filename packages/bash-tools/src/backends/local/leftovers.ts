import { readdirSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { startProcess } from '@mustard-sandbox/client/isolation';

/**
 * Ends the jails that a host left behind. The kernel ends a jail with its host, except in the first milliseconds of
 * bwrap: the process that bwrap has forked for the inside then waits for it for ever, or outlives it with a command.
 *
 * @param state a folder that only that host used: each of its jails mounts files of it
 */
export function endLeftBehind(state: string): void {
  if (process.platform !== 'linux') return;
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid) || !argumentsOf(pid).some((argument) => argument.startsWith(`${state}/`))) continue;
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It ended by itself, or belongs to another user.
    }
  }
}

/** Ends the watch, because no jail is left to end. */
export interface Guard {
  close(): void;
}

/**
 * Starts a shell that waits for the end of this process and then ends the jails that are left, before the next host
 * would. It searches until it has found nothing for three seconds, and for at most a minute, because bwrap may have
 * been in the middle of its work. When no shell can be started, the next host still ends them.
 *
 * @param state as above. It is not among the shell's own arguments, by which jails are found
 */
export function guardJails(state: string): Guard {
  // Each line would be a pattern of its own, which could match any process.
  if (state === '' || state.includes('\n')) return { close: () => {} };
  const options = {
    // It is not in the host's process group, which Ctrl-C on a terminal ends.
    detached: true,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', STATE: state },
    stdio: ['pipe' as const, 'ignore' as const, 'ignore' as const],
  };
  const guard = startProcess(['/bin/sh', '-c', guarding], options, () => {});
  guard?.stdin?.on('error', () => {});
  guard?.unref();
  (guard?.stdin as Socket | null)?.unref();
  return { close: () => void guard?.kill('SIGKILL') };
}

const guarding = `
read -r line
look=0 all=0
while [ $look -lt 12 ] && [ $all -lt 240 ]; do
  look=$((look + 1)) all=$((all + 1))
  for file in $(printf '%s/' "$STATE" | grep -lsF -f - /proc/[0-9]*/cmdline); do
    process=\${file%/cmdline}
    kill -9 "\${process#/proc/}" && look=0
  done
  sleep 0.25
done
`;

function argumentsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
