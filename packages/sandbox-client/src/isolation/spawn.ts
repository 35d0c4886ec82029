import { spawn, type ChildProcess, type SpawnOptions, type StdioOptions } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import { filterFd } from './jail.ts';

/** How to start a process. */
export interface StartOptions extends Omit<SpawnOptions, 'stdio'> {
  /** The first three descriptors. There are no others. */
  stdio: Extract<StdioOptions, readonly unknown[]>;
  /** What the command reads from the descriptor `filterFd`, up to its end. */
  filter?: Buffer | undefined;
  /** Commands that a shell runs before it becomes the program. Not for Windows. */
  setup?: string | undefined;
  /** Gives the command the descriptor `channelFd`, for messages to this process. It needs a filter. */
  channel?: boolean;
}

/**
 * Starts a process that has only the descriptors that it is given. Every child of every package is started here,
 * because the host may hold files and sockets without close-on-exec: native modules opened them, or the host inherited
 * them.
 *
 * @param onError called when the process could not be started; it then has no streams
 */
export function startProcess(
  command: readonly string[],
  { filter, setup, channel = false, ...options }: StartOptions,
  onError: (error: Error) => void,
): ChildProcess | undefined {
  const further = [...(filter === undefined ? [] : ['pipe' as const]), ...(channel ? ['ipc' as const] : [])];
  const stdio = [...options.stdio, ...further];
  const [file = '', ...args] = throughShell(command, setup, stdio.length, options);
  const subprocess = spawn(file, args, { ...options, stdio });
  subprocess.on('error', onError);
  if (subprocess.pid === undefined) return undefined;
  if (filter !== undefined) writeTo(subprocess.stdio[filterFd] as Socket, filter);
  return subprocess;
}

/**
 * What a program writes to its standard output.
 *
 * @throws the error of the system when the program cannot be started; an error with its exit code as `code` when it
 * fails
 */
export async function outputOf(
  command: readonly string[],
  { timeout, env }: { timeout: number; env: Record<string, string> },
): Promise<string> {
  return await new Promise((settle, reject) => {
    const child = startProcess(command, { env, timeout, stdio: ['ignore', 'pipe', 'pipe'] }, reject);
    const written = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child?.[name]?.setEncoding('utf8').on('data', (text: string) => (written[name] += text));
    }
    child?.once('close', (exitCode, signal) => {
      if (exitCode === 0) return settle(written.stdout);
      const code = exitCode ?? signal;
      const message = `${command.join(' ')} failed (${code}): ${written.stderr.trim()}`;
      reject(Object.assign(new Error(message), { code }));
    });
  });
}

/**
 * Among the usual shells, only dash cannot name a descriptor above 9, and systems with dash have bash. Without the
 * options, bash would read ~/.bashrc when its input is a socket, as the pipes of Node are.
 */
const shell = existsSync('/bin/bash') ? ['/bin/bash', '--norc', '--noprofile', '-p'] : ['/bin/sh'];

/**
 * The command that starts a shell, which closes what it inherited and becomes the program. The shell looks only at
 * descriptors that survived its own start, so this costs the same for a host with thousands of open sockets. macOS
 * passes on only stdio by itself.
 */
function throughShell(
  command: readonly string[],
  setup: string | undefined,
  kept: number,
  options: SpawnOptions,
): readonly string[] {
  const isLinux = process.platform === 'linux';
  if (process.platform === 'win32' || (!isLinux && setup === undefined)) return command;
  // A missing program must fail with the error of the system, and not with that of a shell.
  if (!canBeExecuted(command[0] ?? '', options)) return command;
  const steps = [...(isLinux ? [closing(kept)] : []), ...(setup === undefined ? [] : [setup]), 'exec "$@"'];
  return [...shell, '-c', steps.join('; '), 'sh', ...command];
}

/** Closes all descriptors from `kept` on. */
function closing(kept: number): string {
  const isKept = Array.from({ length: kept }, (_, fd) => fd).join('|');
  return `for fd in /proc/self/fd/*; do fd=\${fd##*/}; case $fd in ${isKept}|*[!0-9]*) ;; *) eval "exec $fd>&-" ;; esac; done`;
}

function canBeExecuted(file: string, { env = process.env, cwd = '.' }: SpawnOptions): boolean {
  const folders = file.includes('/') ? ['.'] : (env['PATH'] ?? '').split(':');
  return folders.some((folder) => {
    try {
      accessSync(resolve(String(cwd), folder, file), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Destroys the streams, so that they do not keep the host alive or delay the `close` event of the process. */
function writeTo(pipe: Socket, bytes: Buffer): void {
  // The process may end before it has read them. Its exit reports that, so this error is ignored.
  pipe.on('error', () => {});
  pipe.end(bytes, () => pipe.destroy());
}
