import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Workspace } from '@mustard-sandbox/bash-tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asNobody } from './fixtures/as-nobody.ts';
import { noJail, openWorkspaces, scratchFolder } from './support.ts';

const MiB = 1024 * 1024;
const limits = { workspaceBytes: 32 * MiB, workspaceFiles: 2_000 };
const isRoot = process.getuid?.() === 0;

const bytesOf = (folder: string): number =>
  Number(execFileSync('du', ['-s', '--block-size=1', folder], { encoding: 'utf8' }).split('\t')[0]);
const filesOf = (folder: string): number =>
  Number(execFileSync('du', ['-s', '--inodes', folder], { encoding: 'utf8' }).split('\t')[0]);
const hostFolder = (workspace: Workspace): string => join(workspace.hostFolder as string, '..');

/** A file system of its own, with few inodes; `undefined` where none can be mounted. */
function smallDisk(options: string): string | undefined {
  const path = scratchFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', path]));
  return path;
}

describe.skipIf(noJail !== undefined)('the disk of a workspace in a jail', () => {
  it('what is over the limit stays as it is until enough is deleted', async () => {
    const workspace = await (await openWorkspaces({ limits })).open();
    const first = await workspace.run('for n in $(seq 1 500); do head -c 4M /dev/zero > a$n; done');
    expect(first).toMatchObject({ exitCode: 137, stderr: expect.stringContaining('(workspaceBytes)') as string });
    const taken = bytesOf(hostFolder(workspace));
    expect(taken).toBeGreaterThan(limits.workspaceBytes);
    for (let count = 0; count < 7; count++) {
      const { stderr } = await workspace.run('for n in $(seq 1 50); do head -c 4M /dev/zero > b$n; done 2>/dev/null');
      expect(stderr).toContain('Until enough is deleted, nothing can be written');
    }
    await expect(workspace.writeFile('c', 'x')).rejects.toMatchObject({ code: 'workspace_full' });
    // The empty files that each of them could begin.
    expect(bytesOf(hostFolder(workspace))).toBeLessThan(taken + MiB);
    expect(await workspace.run('rm a*; echo deleted')).toMatchObject({ exitCode: 0, stdout: 'deleted' });
    expect(await workspace.run('echo x > c; cat c')).toMatchObject({ exitCode: 0, stdout: 'x', stderr: '' });
    await workspace.writeFile('c', 'y');
  });

  it('files without content are counted, and so are folders and links', async () => {
    const few = { ...limits, workspaceFiles: 200 };
    const workspace = await (await openWorkspaces({ limits: few })).open();
    for (const make of [': > a/$n', 'mkdir a/$n', 'ln -s x a/$n']) {
      await workspace.run('mkdir a; : > a/0');
      const { exitCode, stderr } = await workspace.run(`for n in $(seq 1 300000); do ${make}; done`);
      expect([make, exitCode, stderr]).toEqual([
        make,
        137,
        expect.stringContaining('more than 200 files (workspaceFiles)'),
      ]);
      const more = await workspace.run('for n in $(seq 1 300000); do : > b$n; done');
      expect([make, more.exitCode]).toEqual([make, 137]);
      expect((await workspace.run('rm -r a b*; echo free')).stdout).toBe('free');
    }
  });

  it('room for files is not taken in one call, and the C library does without that', async () => {
    const workspace = await (await openWorkspaces({ limits })).open();
    const allocating = 'for n in $(seq 1 12); do fallocate -l 30M f$n; done; ls';
    expect((await workspace.run(allocating)).stderr).toContain('not supported');
    expect(bytesOf(hostFolder(workspace))).toBeLessThan(MiB);
    const python = `python3 -c "import os; fd = os.open('p', os.O_CREAT | os.O_RDWR); os.posix_fallocate(fd, 0, 1 << 20); print(os.fstat(fd).st_size)"`;
    expect((await workspace.run(python)).stdout).toBe('1048576');
  });

  it.skipIf(!isRoot)('no command takes all inodes of a disk', async (context) => {
    const directory = smallDisk('size=256m,nr_inodes=60000');
    if (directory === undefined) return context.skip('nothing can be mounted here');
    const all = await openWorkspaces({ directory });
    onTestFinished(() => all.close());
    const workspace = await all.open();
    const { exitCode } = await workspace.run('for n in $(seq 1 300000); do : > a$n; done');
    expect(exitCode).toBe(137);
    // It is ended at half of them. How many more it makes until then depends on how busy the machine is.
    expect(filesOf(directory)).toBeLessThan(60_000);
    await all.close();
  });

  it("of a folder of the user's only what commands add is counted", async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, 'big'), Buffer.alloc(40 * MiB, 1));
    const workspace = await (await openWorkspaces({ limits })).open({ folder });
    expect(await workspace.run('head -c 8M /dev/zero > a; stat -c %s a')).toMatchObject({
      stdout: '8388608',
      stderr: '',
    });
    const { exitCode } = await workspace.run('for n in $(seq 1 500); do head -c 4M /dev/zero > b$n; done');
    expect(exitCode).toBe(137);
    expect((await workspace.run('head -c 4M /dev/zero > c')).stderr).toContain('nothing can be written');
  });

  it('what a host that is not root cannot read is counted all the same', async (context) => {
    const fixture = fileURLToPath(new URL('fixtures/counting.mjs', import.meta.url));
    const command = asNobody(scratchFolder(), fixture);
    if (command === undefined) return context.skip('another user cannot read this folder');
    const [file, ...args] = command;
    const { uid, told } = JSON.parse(execFileSync(file, args, { encoding: 'utf8' })) as {
      uid: number;
      told: { exitCode: number; stdout: string; stderr: string }[];
    };
    expect(uid).not.toBe(0);
    const [hiding, more, blocked, , many, most, free] = told;
    expect(hiding?.stderr).toContain('Permission denied');
    expect(more).toMatchObject({ exitCode: 137, stderr: expect.stringContaining('(workspaceBytes)') as string });
    expect(blocked?.stderr).toContain('Until enough is deleted');
    expect(many).toMatchObject({ exitCode: 0 });
    expect(most).toMatchObject({ exitCode: 137, stderr: expect.stringContaining('(workspaceFiles)') as string });
    expect(free).toMatchObject({ exitCode: 0, stdout: 'free' });
  });
});

it.skipIf(noJail !== undefined)('what a workspace is filled with has the same bounds', async () => {
  const all = await openWorkspaces({ limits: { workspaceBytes: MiB, workspaceFiles: 300 } });
  const origin = scratchFolder();
  for (let n = 0; n < 400; n++) writeFileSync(join(origin, `f${n}`), 'x');
  const reason = expect.stringContaining('(workspaceFiles)') as string;
  await expect(all.open({ seed: { upload: { path: origin } } })).rejects.toMatchObject({
    code: 'seed_failed',
    message: reason,
  });
  writeFileSync(join(origin, 'big'), randomBytes(8 * MiB));
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: origin });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'x');
  await expect(all.open({ seed: { git: { url: origin } } })).rejects.toMatchObject({ code: 'seed_failed' });
  expect(await all.list()).toEqual([]);
});

it('the interpreter writes nothing in a full workspace either, and deletes', async () => {
  const all = await openWorkspaces({ backend: 'memory', limits: { workspaceBytes: MiB, workspaceFiles: 2_000 } });
  const workspace = await all.open();
  writeFileSync(join(workspace.hostFolder as string, 'big'), Buffer.alloc(2 * MiB, 1));
  const { stdout, stderr } = await workspace.run('echo x > a; cp big b; cat a; ls');
  expect([stdout.trim().split('\n').includes('b'), stdout.includes('x')]).toEqual([false, false]);
  expect(stderr).toContain('Until enough is deleted, nothing can be written');
  await workspace.run('rm big');
  expect(await workspace.run('echo x > a; cat a')).toMatchObject({ stdout: 'x', stderr: '' });
});
