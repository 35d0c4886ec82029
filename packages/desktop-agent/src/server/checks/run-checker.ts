import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { endJail, startProcess } from '@mustard-sandbox/client/isolation';
import type { CheckerCommand } from './checker-command.ts';
import { maxOutputBytes } from './limits.ts';

/** How a check ended. `said` is its whole stdout. */
export type CheckerEnd =
  | { kind: 'answered'; said: string }
  | { kind: 'timeout' }
  | { kind: 'flooded' }
  | { kind: 'died'; how: string; stderr: string };

const maxStderr = 2000;

/**
 * Starts the checker, sends it a request and reads its answer. When this returns, the checker and all that it started have
 * ended.
 *
 * @throws the reason of `signal` after an abort
 */
export async function runChecker(
  { command, filter, jailed }: CheckerCommand,
  request: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<CheckerEnd> {
  signal?.throwIfAborted();
  let startError: Error | undefined;
  const stdio = ['pipe', 'pipe', 'pipe'] as const;
  // The checker gets its own process group, which can be ended as one, and no variable of this program's environment.
  const options = { env: {}, cwd: '/', stdio: [...stdio], detached: true, filter };
  const child = startProcess(command, options, (error) => (startError = error));
  if (child?.pid === undefined) return { kind: 'died', how: startError?.message ?? 'it did not start', stderr: '' };
  const pid = child.pid;
  const gone = once(child, 'close').catch(() => {});
  const kill = (): void => {
    if (jailed) void endJail(child, pid, gone);
    else killGroup(pid);
  };
  let why: 'timeout' | 'flooded' | undefined;
  const end = (reason?: 'timeout' | 'flooded'): void => {
    why ??= reason;
    kill();
  };
  const abort = (): void => end();
  const timer = setTimeout(() => end('timeout'), timeoutMs);
  signal?.addEventListener('abort', abort, { once: true });
  const stdout = collect(child.stdout as Readable, maxOutputBytes, () => end('flooded'));
  const stderr = collect(child.stderr as Readable, maxStderr, () => {});
  const stdin = child.stdin as Writable;
  // A checker that has already ended does not read the request.
  stdin.on('error', () => {});
  stdin.end(request);
  try {
    await gone;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    // The checker may have left processes behind. The jail ends them by itself.
    if (!jailed) killGroup(pid);
  }
  signal?.throwIfAborted();
  if (why !== undefined) return { kind: why };
  if (child.exitCode === 0) return { kind: 'answered', said: stdout() };
  return { kind: 'died', how: child.signalCode ?? `exit code ${child.exitCode}`, stderr: stderr() };
}

function collect(stream: Readable, maxBytes: number, onTooMuch: () => void): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (bytes <= maxBytes) chunks.push(chunk);
    if (bytes <= maxBytes && (bytes += chunk.length) > maxBytes) onTooMuch();
  });
  stream.on('error', () => {});
  return () => Buffer.concat(chunks).toString('utf8').slice(0, maxBytes);
}

function killGroup(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // The whole group has already ended.
  }
}
