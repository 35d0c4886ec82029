import { spawn, type ChildProcess, type SpawnOptions, type StdioOptions } from 'node:child_process';
import type { Socket } from 'node:net';
import { filterFd } from './jail.ts';

interface ConfinedOptions extends Omit<SpawnOptions, 'stdio'> {
  /** The first three, and no other. */
  stdio: Extract<StdioOptions, readonly unknown[]>;
}

/**
 * Starts a command that reads a filter of system calls from `filterFd`, if it has a filter.
 *
 * @param onError called when it could not be started; there are no streams then
 */
export function spawnWithFilter(
  [file = '', ...args]: readonly string[],
  options: ConfinedOptions,
  filter: Buffer | undefined,
  onError: (error: Error) => void,
): ChildProcess | undefined {
  const stdio = filter === undefined ? options.stdio : [...options.stdio, 'pipe' as const];
  const subprocess = spawn(file, args, { ...options, stdio });
  subprocess.on('error', onError);
  if (subprocess.pid === undefined) return undefined;
  if (filter !== undefined) writeTo(subprocess.stdio[filterFd] as Socket, filter);
  return subprocess;
}

/** Destroys the streams, so that they do not keep the host alive or delay the `close` event of the process. */
function writeTo(pipe: Socket, bytes: Buffer): void {
  // The process may end before it has read them. Its exit reports that, so this error is ignored.
  pipe.on('error', () => {});
  pipe.end(bytes, () => pipe.destroy());
}
