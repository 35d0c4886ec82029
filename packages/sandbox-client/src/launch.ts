import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { dirname } from 'node:path';
import type { Jail } from './isolation/jail.ts';
import { daemonFolder, daemonMain } from './isolation/own-files.ts';
import { startProcess } from './isolation/spawn.ts';
import { nodeFlags } from './node-flags.ts';
import type { ResolvedOptions } from './options.ts';

export type Subprocess = ChildProcessWithoutNullStreams;

interface Confinement {
  jail: Jail | undefined;
  roots: readonly string[] | undefined;
  /** The command that makes the kernel end the sidecar with the host. A jail does that by itself. */
  prefix: readonly string[];
}

/**
 * Starts a sidecar: no secret of the host in its environment, not in the host's folder, and on
 * POSIX under limits that the kernel enforces.
 *
 * Not with execa, for two reasons. When the host has no file descriptor left, execa throws before anyone can listen for
 * the `error` event, and that event then ends the host. And execa waits for the end of the pipes, which a child of the
 * sidecar may hold open.
 *
 * @param isolation the roots that it may read in, if they are known, and what to confine it in, if anything
 * @param onError called when it could not be started; there are no streams then
 */
export function launch(
  { command, memoryBytes }: ResolvedOptions,
  confinement: Confinement,
  onError: (error: Error) => void,
): Subprocess | undefined {
  const { jail } = confinement;
  const options = { env: environment(), cwd: daemonFolder(), windowsHide: true, stdio: pipes };
  const setup = command === undefined ? processLimits(memoryBytes) : undefined;
  const started = command ?? sidecarCommand(confinement);
  return startProcess(started, { ...options, filter: jail?.filter, setup }, onError) as Subprocess | undefined;
}

function sidecarCommand({ jail, roots, prefix }: Confinement): string[] {
  const main = daemonMain();
  const node = [process.execPath, ...nodeFlags(roots), main];
  return jail?.wrap(node, dirname(main)) ?? [...prefix, ...node];
}

const pipes = ['pipe' as const, 'pipe' as const, 'pipe' as const];

/**
 * From V8 13 on (Node 24) each thread reserves 512 MiB of address space for generated code. It counts towards the data
 * limit although almost nothing of it is used. Without room for that of the main thread Node does not start; without
 * room for that of the watchdog it ends a little later.
 */
const codeRangeBytes = Number.parseInt(process.versions.v8, 10) >= 13 ? 2 * 512 * 1024 * 1024 : 0;

/**
 * `ulimit` before `exec`: an oversized allocation then fails at once instead of filling memory first,
 * and a native recursion gets an answer instead of a segmentation fault.
 *
 * The stack is `unlimited` and not merely large, because glibc and libuv give every further thread a
 * stack of the size of a finite limit, and those count as data: with 1,000,000 KiB Node does not start.
 *
 * The host decides when a sidecar ends, but Ctrl-C goes to the whole terminal group. The sidecar ignores it by itself;
 * what may stand before it in a jail does so because it was started that way.
 */
function processLimits(memoryBytes: number): string {
  const data = Math.ceil((memoryBytes + codeRangeBytes) / 1024);
  return `trap '' INT; ulimit -c 0; ulimit -s unlimited 2>/dev/null; ulimit -d ${data} 2>/dev/null; umask 077`;
}

/** The variables that Node and its C library need. The sidecar gets nothing else of the host's environment. */
const passedOn = ['LANG', 'LC_ALL', 'TZ', 'SystemRoot', 'windir', 'TEMP', 'TMP', 'TMPDIR'];

function environment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of passedOn) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  // DuckDB's threads each take a pool of memory of their own, which the C library never gives back: after five queries
  // 450 MB of data instead of 230, and the next one failed. In a run without a query nothing shows.
  if (process.platform === 'linux') env['MALLOC_ARENA_MAX'] = '2';
  // Electron's binary acts as Node only with this variable.
  if (process.versions['electron'] !== undefined) env['ELECTRON_RUN_AS_NODE'] = '1';
  return env;
}
