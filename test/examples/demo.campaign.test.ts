import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test, vi } from 'vitest';
import { makeFolder } from '../files/support.ts';

const demo = fileURLToPath(new URL('../../examples/demo.mjs', import.meta.url));
const env = { NO_COLOR: '1' };

test('does the job, survives the crashes, and does one more', async () => {
  const dir = makeFolder();
  const { stdout, exitCode } = await execa(process.execPath, [demo, '--megabytes', '3', '--dir', dir], { env });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/code +count\n +E1001 .*\n +E2002 .*\n +E3003 .*\n +E4004 .*\n +E5005/);
  expect(stdout).toContain('the same counts as plain Node');
  expect(stdout).toMatch(/3(\.\d)? MB read · [\d.]+ million instructions/);
  expect(stdout).toMatch(/^ +(?:timeout|sidecar_crashed) /m);
  expect(stdout).toMatch(/this process \(pid \d+\) is alive/);
  expect(stdout).toContain('All as expected.');
  expect(readdirSync(dir)).toEqual(['server-3mb.log']);
});

test('uses the log of the last time, unless it is not whole', async () => {
  const dir = makeFolder();
  const path = join(dir, 'server-1mb.log');
  writeFileSync(path, 'half');
  const run = async (): Promise<string> =>
    (await execa(process.execPath, [demo, '--megabytes', '1', '--dir', dir], { env })).stdout;
  expect(await run()).toContain('made in');
  const { mtimeMs } = statSync(path);
  expect(await run()).toContain('from the last time');
  expect(statSync(path).mtimeMs).toBe(mtimeMs);
});

// Windows has no signal that a process could send to end another one cleanly.
test.skipIf(process.platform === 'win32').each(['SIGINT', 'SIGTERM'] as const)(
  'ends cleanly by %s while it writes the log',
  async (signal) => {
    const dir = makeFolder();
    const running = execa(process.execPath, [demo, '--megabytes', '250', '--dir', dir], { env, reject: false });
    await vi.waitUntil(() => readdirSync(dir).length > 0);
    running.kill(signal);
    const { exitCode, stdout, stderr } = await running;
    expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: '' });
    expect(stdout).toContain('Stopped.');
    expect(readdirSync(dir)).toEqual([]);
  },
);

test.skipIf(process.platform === 'win32')('ends cleanly by SIGINT while a script runs', async () => {
  const dir = makeFolder();
  const running = execa(process.execPath, [demo, '--megabytes', '1', '--dir', dir], { env, reject: false });
  let seen = '';
  for await (const line of running) {
    seen += `${line}\n`;
    // The next script hangs until its deadline.
    if (line.includes('a native recursion')) running.kill('SIGINT');
  }
  const { exitCode } = await running;
  expect(exitCode).toBe(130);
  expect(seen).toContain('Stopped.');
  expect(seen).not.toContain('One more script');
});

test.each([['--megabytes', '0'], ['--megabytes', '900'], ['--megabytes', 'many'], ['--nonsense']])(
  'refuses %s %s',
  async (...args) => {
    const { exitCode, stderr } = await execa(process.execPath, [demo, ...args], { reject: false });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(args[0]);
  },
);
