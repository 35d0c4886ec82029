import { readdirSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { startProcess } from '@mustard-sandbox/client/isolation';

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

/** Ends its watch: what is left is nobody's any more. */
export interface Guard {
  close(): void;
}

/**
 * Has a shell wait for the end of this process, and then end what is left of its jails, in place of the next host. It
 * looks until it found nothing for three seconds, and for a minute at most: bwrap may have been in the middle of its
 * work. Where no shell can be started, the next host is still there.
 *
 * @param state as above. It is not among the shell's own arguments, by which jails are found.
 */
export function guardJails(state: string): Guard {
  // Each line would be a pattern of its own, which could fit any process.
  if (state === '' || state.includes('\n')) return { close: () => {} };
  const options = {
    // Not in the host's group, which Ctrl-C on a terminal ends.
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
