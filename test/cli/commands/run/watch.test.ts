import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { cli, isPosix, main, makeFolder } from '../../support.ts';

/** The command, watching. */
function watching(cwd: string, ...args: string[]) {
  const subprocess = execa(process.execPath, [main, 'run', 'script.js', '--watch', ...args], { cwd, reject: false });
  onTestFinished(() => void subprocess.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  subprocess.stdout.on('data', (chunk) => (output.stdout += String(chunk)));
  subprocess.stderr.on('data', (chunk) => (output.stderr += String(chunk)));
  const see = async (expected: Partial<typeof output>): Promise<void> => {
    await vi.waitFor(() => expect(output).toMatchObject(expected));
  };
  const waiting = async (times: number): Promise<void> => {
    await vi.waitFor(() => expect(output.stderr.split('Ctrl-C ends it')).toHaveLength(times + 1));
  };
  return { subprocess, output, see, waiting };
}

describe('run --watch', () => {
  it('runs again when the script changes, in place or by rename, and ends well with Ctrl-C', async () => {
    const cwd = makeFolder({ 'script.js': '1' });
    const { subprocess, see, waiting } = watching(cwd);
    await waiting(1);
    writeFileSync(join(cwd, 'script.js'), '2');
    await waiting(2);
    writeFileSync(join(cwd, 'new'), '3');
    renameSync(join(cwd, 'new'), join(cwd, 'script.js'));
    await waiting(3);
    await see({ stdout: '1\n2\n3\n' });
    subprocess.kill('SIGINT');
    // Windows has no signals: the process is ended.
    expect(isPosix ? (await subprocess).exitCode : 0).toBe(0);
  });

  it('runs again when an attachment changes, and also when that is after an error', async () => {
    const cwd = makeFolder({ 'script.js': 'read_file("attachments:a.txt")', 'a.txt': 'old' });
    const { output, see, waiting } = watching(cwd, '--attach', 'a.txt');
    await waiting(1);
    rmSync(join(cwd, 'a.txt'));
    await waiting(2);
    expect(output.stderr).toContain("--attach: there is no file 'a.txt'");
    writeFileSync(join(cwd, 'a.txt'), 'new');
    await see({ stdout: 'old\nnew\n' });
  });

  it('gives up a run that a change overtakes', async () => {
    const cwd = makeFolder({ 'script.js': 'console.log("under way"); while (true) {}' });
    const { output, see } = watching(cwd, '--timeout', '60s');
    await vi.waitFor(() => expect(output.stderr).toContain('under way'));
    writeFileSync(join(cwd, 'script.js'), '"done"');
    await see({ stdout: 'done\n' });
    expect(output.stderr).not.toContain('cancelled');
  });

  it('prints an object a line with --json, and nothing else with --quiet', async () => {
    const cwd = makeFolder({ 'script.js': '1' });
    const { output } = watching(cwd, '--json', '--quiet');
    const objects = (): unknown[] =>
      output.stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as unknown);
    await vi.waitFor(() => expect(objects()).toMatchObject([{ value: 1 }]));
    writeFileSync(join(cwd, 'script.js'), 'throw 1');
    await vi.waitFor(() => expect(objects()).toMatchObject([{ value: 1 }, { ok: false }]));
    expect(output.stderr).toBe('');
  });

  it.each([
    ['-', /--watch: stdin cannot be watched/],
    ['nowhere.js', /'nowhere.js' is not there/],
  ])('refuses %s at once', async (file, message) => {
    const { exitCode, stderr } = await cli(['run', file, '--watch'], { cwd: makeFolder() });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
  });
});
