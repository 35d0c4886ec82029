import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { ResolvedOptions } from './options.ts';

const execaOptions = {
  stdin: 'pipe',
  stdout: 'pipe',
  stderr: 'pipe',
  buffer: false,
  encoding: 'buffer',
  extendEnv: false,
  reject: false,
  // The sidecar ends itself with its host. execa's way would listen for the host's signals, and raise them again
  // when it takes itself for the only one who does, which it does for a host that uses `process.once`.
  cleanup: false,
} as const;

type Execa = typeof import('execa').execa;
export type Subprocess = ReturnType<typeof spawn>;

function spawn(execa: Execa, [file, ...args]: string[], cwd: string) {
  return execa(file as string, args, { ...execaOptions, env: environment(), cwd });
}

/**
 * Starts a sidecar: no secret of the host in its environment, not in the host's folder, and on
 * POSIX under limits that the kernel enforces.
 *
 * @returns the process in an object, because it is a promise of its own end
 */
export async function launch({ command, memoryBytes }: ResolvedOptions): Promise<{ subprocess: Subprocess }> {
  // Here, not at the top: a host that never runs a script should not pay for it.
  const { execa } = await import('execa');
  const main = createRequire(import.meta.url).resolve('@mustard-sandbox/daemon/main');
  const full = command ?? withProcessLimits([process.execPath, main], memoryBytes);
  return { subprocess: spawn(execa, full, dirname(main)) };
}

/**
 * `ulimit` before `exec`: an oversized allocation then fails at once instead of filling memory first,
 * and a native recursion gets an answer instead of a segmentation fault.
 *
 * The stack is `unlimited` and not merely large, because glibc and libuv give every further thread a
 * stack of the size of a finite limit, and those count as data: with 1,000,000 KiB Node does not start.
 */
function withProcessLimits(command: string[], memoryBytes: number): string[] {
  if (process.platform === 'win32') return command;
  const data = Math.ceil(memoryBytes / 1024);
  const script = `ulimit -c 0; ulimit -s unlimited 2>/dev/null; ulimit -d ${data} 2>/dev/null; umask 077; exec "$@"`;
  return ['/bin/sh', '-c', script, 'sh', ...command];
}

/** What Node and its C library need to behave; nothing else of the host's environment goes along. */
const passedOn = ['LANG', 'LC_ALL', 'TZ', 'SystemRoot', 'windir', 'TEMP', 'TMP', 'TMPDIR'];

function environment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of passedOn) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  // Electron's binary is Node only when told so.
  if (process.versions['electron'] !== undefined) env['ELECTRON_RUN_AS_NODE'] = '1';
  return env;
}
