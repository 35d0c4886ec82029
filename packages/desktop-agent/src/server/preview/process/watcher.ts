// Ends the processes of a dev script when this program says so, or is gone: it may be killed and then ends nothing itself.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { startProcess } from '@mustard-sandbox/client/isolation';

/** The variable by which processes are known that left the group of the script. */
export const markName = 'MUSTARD_PREVIEW';

/**
 * Reads the group of the script, and waits for the end of its input. Then it asks all processes to end, and kills those that
 * are left after 3 s. What has the mark in its environment belongs to the script, in whatever group or session it is; only
 * Linux tells the environment of a process. Not `pkill`: it has no search by environment.
 */
const watching = String.raw`
group=
while read -r line; do group=$line; done
marked() { grep -lsz "^${markName}=$1\$" /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r _ _ pid _; do echo "$pid"; done; }
signal() {
  if [ -n "$group" ]; then kill -s "$1" -- "-$group"; fi
  for pid in $(marked "$2"); do kill -s "$1" "$pid"; done
} 2>/dev/null
left() { [ -n "$(marked "$1")" ] || { [ -n "$group" ] && kill -0 -- "-$group" 2>/dev/null; }; }
signal TERM "$1"
tries=0
while left "$1" && [ $tries -lt 30 ]; do sleep 0.1; tries=$((tries + 1)); done
while left "$1" && [ $tries -lt 130 ]; do signal KILL "$1"; sleep 0.05; tries=$((tries + 1)); done
`;

/** One for each start of a script. */
export class Watcher {
  readonly #child: ChildProcess | undefined;
  readonly #gone: Promise<unknown>;

  /** @param mark of the processes, which the script gets as `MUSTARD_PREVIEW` */
  constructor(mark: string) {
    // In a session of its own: Ctrl-C of the terminal is for this program.
    const options = { env: { PATH: '/usr/bin:/bin' }, cwd: '/', detached: true };
    this.#child = startProcess(
      ['/bin/sh', '-c', watching, 'sh', mark],
      { ...options, stdio: ['pipe', 'ignore', 'ignore'] },
      () => {},
    );
    this.#gone = this.#child === undefined ? Promise.resolve() : once(this.#child, 'close').catch(() => {});
    this.#stdin?.on('error', () => {});
    this.#child?.unref();
  }

  /** @param group `undefined`: all of it has ended, so that its number may become that of others */
  follow(group: number | undefined): void {
    this.#stdin?.write(`${group ?? ''}\n`);
  }

  /** Resolves when all of it is gone. */
  async end(): Promise<void> {
    this.#stdin?.end();
    await this.#gone;
  }

  get #stdin(): Writable | null | undefined {
    return this.#child?.stdin;
  }
}
