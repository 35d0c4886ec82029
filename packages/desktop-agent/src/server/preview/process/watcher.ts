// Ends the processes of a dev script when this program says so or has ended. A killed program could not end them itself.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { startProcess } from '@mustard-sandbox/client/isolation';

/** The environment variable that identifies processes which left the script's process group. */
export const markName = 'MUSTARD_PREVIEW';

/**
 * This shell script reads the group of the dev script, and waits for the end of its stdin. Then it asks all processes to end,
 * and kills those that are left after 3 s. A process with the mark in its environment belongs to the dev script, in any group
 * or session. Only Linux shows the environment of a process. `pkill` cannot search by environment.
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

/** The watcher of one start of a script. */
export class Watcher {
  readonly #child: ChildProcess | undefined;
  readonly #gone: Promise<unknown>;

  /** @param mark the value of `MUSTARD_PREVIEW` that the processes of the script get */
  constructor(mark: string) {
    // It has a session of its own, because Ctrl-C in the terminal must reach only this program.
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

  /** @param group `undefined` when the whole group has ended, because its number may then be reused */
  follow(group: number | undefined): void {
    this.#stdin?.write(`${group ?? ''}\n`);
  }

  /** Resolves when all processes are gone. */
  async end(): Promise<void> {
    this.#stdin?.end();
    await this.#gone;
  }

  get #stdin(): Writable | null | undefined {
    return this.#child?.stdin;
  }
}
