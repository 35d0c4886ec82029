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
  /** The command that makes the kernel end the sidecar together with the host. A jail does that by itself. */
  prefix: readonly string[];
}

/**
 * Starts a sidecar. Its environment holds no secret of the host, its working folder is not the host's, and on POSIX the
 * kernel enforces limits.
 *
 * It does not use execa, for two reasons. When the host has no file descriptor left, execa throws before anyone can
 * listen for the `error` event, and that event then ends the host. And execa waits for the end of the pipes, which a
 * child of the sidecar may hold open.
 *
 * @param isolation the roots that the sidecar may read in, if known, and its jail, if any
 * @param onError called when the sidecar could not be started; it then has no streams
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
 * limit, although almost none of it is used. Node does not start without room for that of the main thread, and ends a
 * little later without room for that of the watchdog.
 */
const codeRangeBytes = Number.parseInt(process.versions.v8, 10) >= 13 ? 2 * 512 * 1024 * 1024 : 0;

/**
 * `ulimit` runs before `exec`, so that an oversized allocation fails at once instead of filling memory first, and
 * native recursion gets an error instead of a segmentation fault.
 *
 * The stack is `unlimited` and not merely large, because glibc and libuv give every further thread a stack of the size
 * of a finite limit, and those stacks count as data: with 1,000,000 KiB Node does not start.
 *
 * The host decides when a sidecar ends, but Ctrl-C goes to the whole terminal group. The sidecar ignores it by itself.
 * A program that stands before it in a jail ignores it because of the `trap`.
 */
function processLimits(memoryBytes: number): string {
  const data = Math.ceil((memoryBytes + codeRangeBytes) / 1024);
  return `trap '' INT; ulimit -c 0; ulimit -s unlimited 2>/dev/null; ulimit -d ${data} 2>/dev/null; umask 077`;
}

/** The variables that Node and its C library need. The sidecar gets no other variable of the host. */
const passedOn = ['LANG', 'LC_ALL', 'TZ', 'SystemRoot', 'windir', 'TEMP', 'TMP', 'TMPDIR'];

function environment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of passedOn) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  // Otherwise each thread of DuckDB takes a pool of memory of its own, which the C library never gives back: after five
  // queries the data was 450 MB instead of 230, and the next query failed. Runs without a query are as fast as before.
  if (process.platform === 'linux') env['MALLOC_ARENA_MAX'] = '2';
  // Electron's binary acts as Node only with this variable.
  if (process.versions['electron'] !== undefined) env['ELECTRON_RUN_AS_NODE'] = '1';
  return env;
}
