import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { childrenOf, isLinux, isPosix, isRunning, main, makeFolder } from './support.ts';

const endless = 'console.log("started"); while (true) {}';
const finite = 'console.log("started"); let n = 0; for (let i = 0; i < 200000; i++) n += i % 7; n';

/** The command with a script that says `started` and then runs for long; resolves when it has said so. */
async function started(args: string[] = [], { detached = false, script = endless } = {}) {
  const subprocess = execa(
    process.execPath,
    [main, 'run', '-', ...args, ...(args.includes('--timeout') ? [] : ['--timeout', '30s'])],
    {
      input: script,
      reject: false,
      detached,
      forceKillAfterDelay: false,
    },
  );
  onTestFinished(() => void subprocess.kill('SIGKILL'));
  let stderr = '';
  subprocess.stderr.on('data', (chunk) => (stderr += String(chunk)));
  await vi.waitFor(() => expect(stderr).toContain('started'));
  const { pid } = subprocess;
  if (pid === undefined) throw new Error('It has no process id');
  // In an object, because a subprocess is a promise of its own end.
  return { subprocess, pid };
}

// Windows has no signals to send.
describe.skipIf(!isPosix)('a signal during a run', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s cancels it, and leaves no process', async (signal) => {
    const { subprocess, pid } = await started();
    // Children are listed by /proc, which only Linux has.
    const sidecars = isLinux ? childrenOf(pid) : [];
    expect(sidecars.length > 0).toBe(isLinux);
    subprocess.kill(signal);
    const { exitCode, stdout, stderr } = await subprocess;
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
    expect(stderr).toContain('error: cancelled: ');
    await vi.waitFor(() => expect(sidecars.filter(isRunning)).toEqual([]));
  });

  it('is told with --json as well', async () => {
    const { subprocess } = await started(['--json']);
    subprocess.kill('SIGINT');
    const { exitCode, stdout } = await subprocess;
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('%s may reach the sidecar too, as from a terminal', async (signal) => {
    const { subprocess, pid } = await started([], { detached: true });
    process.kill(-pid, signal);
    const { exitCode, stderr } = await subprocess;
    expect(exitCode).toBe(3);
    expect(stderr).toContain('error: cancelled: ');
  });

  it('Ctrl-Z stops it, and fg loses nothing, in a jail or not', async () => {
    // At once, because they only wait.
    const ends = ['process', 'auto'].map(async (isolation) => {
      const args = ['--timeout', '4s', '--isolation', isolation];
      const { subprocess, pid } = await started(args, { detached: true, script: finite });
      // A group without a terminal is not stopped by SIGTSTP, which Ctrl-Z sends.
      process.kill(-pid, 'SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, 6_000));
      process.kill(-pid, 'SIGCONT');
      const { exitCode, stdout, stderr } = await subprocess;
      return { exitCode, stdout, isolation, ...(exitCode !== 0 && { stderr }) };
    });
    expect(await Promise.all(ends)).toEqual([
      { exitCode: 0, stdout: '599994', isolation: 'process' },
      { exitCode: 0, stdout: '599994', isolation: 'auto' },
    ]);
  });

  it.skipIf(!isLinux).each([['SIGKILL'], ['SIGINT', 'SIGTERM']] as const)(
    'leaves no process: %s %s',
    async (...signals) => {
      const { subprocess, pid } = await started();
      const sidecars = childrenOf(pid);
      expect(sidecars).not.toEqual([]);
      for (const signal of signals) subprocess.kill(signal);
      await subprocess;
      await vi.waitFor(() => expect(sidecars.filter(isRunning)).toEqual([]));
    },
  );

  it('ends it at once when there is a second one', async () => {
    const { subprocess } = await started();
    // Both wait until it goes on, so that the first cannot have been dealt with when the second comes.
    subprocess.kill('SIGSTOP');
    subprocess.kill('SIGINT');
    subprocess.kill('SIGTERM');
    subprocess.kill('SIGCONT');
    const { exitCode } = await subprocess;
    expect([130, 143]).toContain(exitCode);
  });

  it.each([['stdin'], ['a FIFO']])('cancels the wait for a script from %s', async (source) => {
    const fifo = join(makeFolder(), 'fifo');
    await execa('mkfifo', [fifo]);
    const args = ['run', source === 'stdin' ? '-' : fifo, '--json'];
    const subprocess = execa(process.execPath, ['--import', loadedMark, main, ...args], {
      stdin: 'pipe',
      reject: false,
    });
    onTestFinished(() => void subprocess.kill('SIGKILL'));
    let stderr = '';
    subprocess.stderr.on('data', (chunk) => (stderr += String(chunk)));
    await vi.waitFor(() => expect(stderr).toContain('listening'));
    subprocess.kill('SIGINT');
    const { exitCode, stdout } = await subprocess;
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  });
});

/** Says `listening` once the command has a handler for SIGINT. */
const loadedMark = `data:text/javascript,${encodeURIComponent(
  "process.on('newListener', (name) => name === 'SIGHUP' && process.stderr.write('listening'));",
)}`;

describe.skipIf(!isPosix)('a reader that goes away', () => {
  /** The exit code of the command in `… | reader`, and what it left on stderr. */
  async function pipeline(script: string, redirect: string, reader: string) {
    const command = `"$0" "$1" run "$2" --timeout 30s ${redirect} | ${reader}; echo "\${PIPESTATUS[0]}"`;
    const file = join(makeFolder({ 'script.js': script }), 'script.js');
    const { stdout, stderr } = await execa('bash', ['-c', command, process.execPath, main, file]);
    return { lines: stdout.split('\n'), stderr };
  }

  it('ends the command quietly', async () => {
    const { lines, stderr } = await pipeline('("line\\n").repeat(200000)', '', 'head -1');
    expect(lines).toEqual(['line', '0']);
    expect(stderr).toMatch(/^[\d.]+ m?s · \d+ instructions$/);
  });

  it('cancels a run that still logs', async () => {
    const script = 'for (let i = 0; i < 15000; i++) console.log("line ".repeat(10)); throw new Error("not reached")';
    const { lines, stderr } = await pipeline(script, '2>&1', 'head -1');
    expect(lines).toEqual(['line '.repeat(10), '3']);
    expect(stderr).toBe('');
  });
});

it.skipIf(!isLinux)('an output that cannot be written is an error', async () => {
  const { stdout, stderr } = await execa('bash', [
    '-c',
    'echo 1 | "$0" "$1" run - > /dev/full; echo $?',
    process.execPath,
    main,
  ]);
  expect(stdout).toBe('2');
  expect(stderr).toContain('error: the output cannot be written: ');
});

const lostOutput =
  'error: stdout is closed or ignored, so the output would be lost. To do without it, use > /dev/null, or ignore stderr too.';

it.skipIf(!isLinux)('a program that ignores stdout alone is told so, before anything runs', async () => {
  const { exitCode, stderr } = await execa(process.execPath, [main, 'run', '-'], {
    input: '1',
    stdout: 'ignore',
    reject: false,
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: lostOutput });
});

it.skipIf(!isLinux).each([
  ['>&-', '2', lostOutput],
  ['>&- --json', '2', lostOutput],
  ['> /dev/null', '0', ''],
])('a stdout that is closed is an error before anything runs, and /dev/null is none: %s', async (how, code, said) => {
  const command = `echo 1 | "$0" "$1" run - --quiet ${how}; echo $? >&3`;
  const { stderr, stdio } = await execa('bash', ['-c', command, process.execPath, main], {
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  expect({ code: stdio[3], stderr }).toEqual({ code, stderr: said });
});

it('a program that turns off all output gets the exit code alone', async () => {
  const { exitCode } = await execa(process.execPath, [main, 'run', '-'], {
    input: '1',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  expect(exitCode).toBe(0);
});
