import { execa } from 'execa';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isPosix, main, makeFolder } from './support.ts';

/** A session whose stdin stays open. */
function opened(...args: string[]) {
  const subprocess = execa(process.execPath, [main, 'repl', ...args], { stdin: 'pipe', reject: false });
  onTestFinished(() => void subprocess.kill('SIGKILL'));
  let stderr = '';
  subprocess.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const see = async (text: string): Promise<void> => {
    await vi.waitFor(() => expect(stderr).toContain(text));
  };
  return { subprocess, see };
}

// Windows has no signals to send.
describe.skipIf(!isPosix)('a session without a terminal ends', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('when %s comes during a run', async (signal) => {
    const { subprocess, see } = opened('--timeout', '60s');
    subprocess.stdin.write('console.log("under way"); while (true) {}\n');
    await see('under way');
    subprocess.kill(signal);
    const { exitCode, stderr } = await subprocess;
    expect(exitCode).toBe(3);
    expect(stderr).toContain('cancelled');
  });

  it('when a signal comes while it waits', async () => {
    const { subprocess, see } = opened();
    subprocess.stdin.write('console.log("done")\n');
    await see('instructions');
    subprocess.kill('SIGINT');
    expect((await subprocess).exitCode).toBe(0);
  });

  it('when its reader goes away', async () => {
    const { subprocess } = opened();
    subprocess.stdout.destroy();
    // Its value is what cannot be written. A further input might be under way just then, and be cancelled.
    subprocess.stdin.write('1\n');
    expect((await subprocess).exitCode).toBe(0);
  });
});

describe.skipIf(!isPosix)('a watch', () => {
  it('ends when its reader goes away', async () => {
    const cwd = makeFolder({ 'script.js': '("line\\n").repeat(500000)' });
    const command = '"$0" "$1" run script.js --watch | head -1; echo "${PIPESTATUS[0]}"';
    const { stdout } = await execa('bash', ['-c', command, process.execPath, main], { cwd });
    expect(stdout.split('\n')).toEqual(['line', '0']);
  });
});
