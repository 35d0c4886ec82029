import { Disk } from './disk.ts';
import { Jail, type JailKit } from './jail.ts';
import type { Folders } from './toolchain.ts';
import { Watch } from './watch.ts';

interface JailRun {
  kit: JailKit;
  folders: Folders;
  mounts: readonly string[];
  env: Record<string, string>;
  signal: AbortSignal | undefined;
}

/** Runs a command of ours in a jail, without a queue, and returns everything that it wrote. */
export async function inJail(
  command: string,
  { kit, folders, mounts, env, signal }: JailRun,
  timeoutMs: number,
): Promise<{ exitCode: number; stdout: Buffer; stderr: string }> {
  const jail = new Jail(kit, folders, { mounts });
  const written: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  const kill = (): void => void jail.kill();
  const timer = setTimeout(kill, timeoutMs);
  signal?.addEventListener('abort', kill, { once: true });
  if (signal?.aborted === true) kill();
  let over = '';
  const onExceeded = (why: string): void => {
    over = `\n${why}`;
    kill();
  };
  try {
    const disk = new Disk(folders, kit.limits);
    using _watch = new Watch({ jail, disk, limits: kit.limits, allowance: await disk.allowance(), onExceeded });
    const exitCode = await jail.run(command, (stream, chunk) => written[stream].push(chunk), { env });
    return {
      exitCode,
      stdout: Buffer.concat(written.stdout),
      stderr: `${Buffer.concat(written.stderr).toString('utf8')}${over}`,
    };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', kill);
  }
}
