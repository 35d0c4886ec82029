import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createBashTools, type BashTools, type Workspace } from '@mustard-sandbox/bash-tools';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { noJail, openWorkspaces, scratchFolder } from './support.ts';

const MiB = 1024 * 1024;

/** Whether a process with this text in its command line is left. */
function isLeft(text: string): boolean {
  return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).includes(text);
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const isOfBash = (name: string): boolean => name.startsWith('mustard-bash-');

/** Whether the kernel bounds the processes of a jail: those of root only where a control group can be made. */
function kernelCounts(): boolean {
  if (process.getuid?.() !== 0) return true;
  const folder = `/sys/fs/cgroup/pids/test-${process.pid}`;
  try {
    mkdirSync(folder);
    rmdirSync(folder);
    return true;
  } catch {
    console.log('Skipped: no control group can be made here.');
    return false;
  }
}

describe.skipIf(noJail !== undefined)('a command that means harm', () => {
  let workspace: Workspace;
  let tools: BashTools;
  let outside: string;
  const run = (command: string, timeoutMs?: number) =>
    tools.bash.execute({ command, ...(timeoutMs !== undefined && { timeoutMs }) });

  beforeAll(async () => {
    outside = scratchFolder();
    writeFileSync(join(outside, 'secret.txt'), 'top secret');
    const limits = { processes: 60, memoryBytes: 256 * MiB, workspaceBytes: 64 * MiB, outputBytes: 4 * MiB };
    const all = await openWorkspaces({ limits });
    workspace = await all.open();
    tools = createBashTools({ workspace, approval: { otherwise: 'allow' } });
  });

  it('a fork bomb is stopped, and the next command runs', async () => {
    const bomb = await run('f() { f | f & wait; }; f', 20_000);
    expect(bomb.exitCode).not.toBe(124);
    expect(bomb.stderr).toContain('more than 60 processes (processes)');
    expect((await run('echo alive')).stdout).toBe('alive');
  });

  it.skipIf(!kernelCounts())('a fork bomb is bounded while the host stands still', async () => {
    const go = join(workspace.hostFolder as string, 'go');
    const ready = join(workspace.hostFolder as string, 'ready');
    const bomb = run(
      'touch ready; until [ -e go ]; do sleep 0.05; done; for n in $(seq 1 400); do sleep 54321 & done; wait',
    );
    await expect.poll(() => existsSync(ready)).toBe(true);
    writeFileSync(go, '');
    // Nothing of this process runs meanwhile: no look at the jail, no kill.
    const counting = `
      count() { ps -eo args | grep -c '^sleep 5432[1]'; }
      for look in $(seq 1 100); do [ "$(count)" -gt 70 ] && break; sleep 0.1; done; sleep 1; count`;
    const most = Number(execFileSync('sh', ['-c', counting], { encoding: 'utf8' }));
    expect([most > 70, most < 100]).toEqual([true, true]);
    expect(await bomb).toMatchObject({ exitCode: 137 });
    await expect.poll(() => isLeft('sleep 54321')).toBe(false);
  });

  const pids = '/sys/fs/cgroup/pids';
  it.skipIf(!existsSync(pids))('no control group of a jail is left when the workspaces are closed', async () => {
    const groups = (): string[] => readdirSync(pids).filter(isOfBash);
    // Other tests have groups of their own meanwhile.
    const isOurs = (group: string): boolean =>
      readIfThere(join(pids, group, 'cgroup.procs'))
        .split('\n')
        .some((pid) => pid !== '' && readIfThere(`/proc/${pid}/cmdline`).includes('1.54321'));
    const others = await openWorkspaces();
    const own = createBashTools({ workspace: await others.open(), approval: { otherwise: 'allow' } });
    const running = own.bash.execute({ command: 'sleep 1.54321' });
    const made = await vi.waitUntil(() => groups().find(isOurs), { interval: 20 });
    await running;
    await others.close();
    expect(groups()).not.toContain(made);
  });

  it('a file of 10 GB ends at the size of the workspace', async () => {
    const { exitCode } = await run('head -c 10G /dev/zero > big');
    expect(exitCode).not.toBe(0);
    expect((await run('stat -c %s big')).stdout.length).toBeLessThan('10000000000'.length);
    expect(await run('rm big; echo free')).toMatchObject({ stdout: 'free', exitCode: 0 });
  });

  it('many files, and files without a name, are counted together', async () => {
    const many = await run('for n in $(seq 1 40); do head -c 4M /dev/zero > part$n; done; sleep 30');
    expect(many).toMatchObject({ exitCode: 137, stderr: expect.stringContaining('workspaceBytes') as string });
    await run('rm part*');
    const unnamed = await run(
      'for n in 3 4 5; do eval "exec $n>gone$n"; rm gone$n; head -c 40M /dev/zero >&$n; done; sleep 30',
    );
    expect(unnamed).toMatchObject({ exitCode: 137, stderr: expect.stringContaining('workspaceBytes') as string });
  });

  it('memory of one process and of several together has a bound', async () => {
    const several = `for n in 1 2 3; do node -e 'const b = Buffer.alloc(150e6, 1); setTimeout(() => b, 3e4)' & done; wait`;
    expect(await run(several)).toMatchObject({
      exitCode: 137,
      stderr: expect.stringContaining('memoryBytes') as string,
    });
  });

  it('`yes` ends', async () => {
    const { exitCode, stdout, stderr } = await run('yes');
    expect([exitCode, stdout.startsWith('y\ny\n')]).toEqual([137, true]);
    expect(stderr).toContain('outputBytes');
  });

  it('what detaches ends with it', async () => {
    expect((await run('setsid nohup sleep 98765 >/dev/null 2>&1 & disown; echo gone')).stdout).toBe('gone');
    await expect.poll(() => isLeft('sleep 98765')).toBe(false);
  });

  it('signals nobody outside', async () => {
    expect((await run('kill -9 -1; echo $(($(ls -d /proc/[0-9]* | wc -l) < 9))')).stdout).toBe('1');
  });

  it('reaches no file of the host, by any path', async () => {
    const probes = [outside, '/root', '/home/*', '/var/lib/*', '/etc/shadow', '/etc/ssh', '/proc/1/root/etc/shadow'];
    const { stdout } = await run(
      `for path in ${probes.join(' ')}; do [ -e $path ] && [ $path != /home/agent ] && echo $path; done`,
    );
    expect(stdout).toBe('');
    expect(
      (await run('touch /usr/x /etc/x /dev/x /proc/sys/x /x 2>&1 | grep -vc "Read-only\\|Permission\\|No such"'))
        .stdout,
    ).toBe('0');
  });

  it('gets no more rights, and makes no namespaces', async () => {
    const { stdout } = await run(
      'grep -E "^(CapEff|NoNewPrivs|Seccomp):" /proc/self/status; unshare -U true 2>/dev/null || echo no',
    );
    expect(stdout.replaceAll('\t', ' ')).toBe('CapEff: 0000000000000000\nNoNewPrivs: 1\nSeccomp: 2\nno');
  });

  it('leaves no program that runs as the owner of the workspace', async () => {
    const folder = scratchFolder();
    const own = await (await openWorkspaces()).open({ folder });
    const { stdout } = await own.run(
      [
        'cp /bin/bash shell; chmod 6755 shell; chmod u+s shell; chmod g+s shell',
        'python3 -c "import os; os.close(os.open(\'made\', os.O_CREAT | os.O_WRONLY, 0o4755))"',
        'python3 -c "import os; os.mknod(\'node\', 0o106755)"',
        'cp -p /usr/bin/passwd copied; install -m 4755 /bin/true installed; chmod 1755 shell; stat -c %a shell',
        'awk \'$5 == "/workspace" { print $6 }\' /proc/self/mountinfo',
      ].join('\n'),
    );
    expect(stdout).toMatch(/^1755\nrw,nosuid,/);
    expect(execFileSync('find', [folder, '-perm', '/6000'], { encoding: 'utf8' })).toBe('');
    const seed = scratchFolder();
    writeFileSync(join(seed, 'program'), '#!/bin/sh\n');
    chmodSync(join(seed, 'program'), 0o6755);
    const seeded = await (await openWorkspaces()).open({ seed: { upload: { path: seed } } });
    expect((await seeded.run('stat -c %a program')).stdout).toBe('755');
    const interpreted = await (await openWorkspaces({ backend: 'memory' })).open({ folder });
    await interpreted.run('echo x > script; chmod 4755 script');
    expect(execFileSync('find', [folder, '-perm', '/6000'], { encoding: 'utf8' })).toBe('');
  });

  it('reaches no network, and no socket of the host, not even one that lies in the workspace', async () => {
    const server = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1');
    const path = join(workspace.hostFolder as string, 'host.sock');
    const local = createServer((socket) => socket.end('reached')).listen(path);
    await Promise.all([server, local].map((one) => new Promise((resolve) => one.once('listening', resolve))));
    const { port } = server.address() as { port: number };
    const dial = (target: string): string =>
      `node -e "require('net').connect(${target}).on('data', d => console.log(String(d))).on('error', e => console.log(e.code))"`;
    const { stdout } = await run(
      `${dial(`${port}, '127.0.0.1'`)}; ${dial(`'host.sock'`)}; ls /sys/class/net 2>/dev/null`,
    );
    expect(stdout).toBe('ECONNREFUSED\nEPERM');
    for (const one of [server, local]) one.close();
  });

  it('its environment is none of the host', async () => {
    vi.stubEnv('MUSTARD_TEST_SECRET', 'hunter2');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await run('env | grep -c hunter2; cat /proc/1/environ | grep -c hunter2')).stdout).toBe('0\n0');
  });

  it('a .bashrc that it leaves changes no later command', async () => {
    await run('echo "git() { echo hijacked; }; export -f git" | tee ~/.bashrc ~/.bash_profile ~/.profile > /dev/null');
    expect((await run('git --version')).stdout).toMatch(/^git version/);
  });

  it('a link that leads out is neither read nor written through, and one that leads in is', async () => {
    await run(
      `ln -s ${outside} out; ln -s ${outside}/secret.txt file; mkdir in; ln -s in inner; ln -s nowhere dangling`,
    );
    for (const path of ['out/secret.txt', 'file', '../secret.txt', join(outside, 'secret.txt'), 'dangling']) {
      await expect(tools.readFile.execute({ path })).rejects.toMatchObject({ code: 'capability_denied' });
      await expect(tools.writeFile.execute({ path, content: 'x' })).rejects.toMatchObject({
        code: 'capability_denied',
      });
    }
    await expect(tools.writeFile.execute({ path: 'out/new/x', content: 'x' })).rejects.toMatchObject({
      code: 'capability_denied',
    });
    expect([readFileSync(join(outside, 'secret.txt'), 'utf8'), existsSync(join(outside, 'new'))]).toEqual([
      'top secret',
      false,
    ]);
    await tools.writeFile.execute({ path: 'inner/x', content: 'x' });
    expect((await run('cat in/x')).stdout).toBe('x');
  });

  it('the folder of whole outputs is not written through a link either', async () => {
    const dir = join(outside, 'outputs');
    mkdirSync(dir);
    await run(`rm -rf .mustard; ln -s ${outside} .mustard`);
    const { stdout } = await run('seq 1 100000');
    expect(stdout).toContain('The rest is gone');
    expect(execFileSync('ls', [dir], { encoding: 'utf8' })).toBe('');
    await run('rm .mustard');
  });

  it('what it makes unreadable is removed with the workspace all the same', async () => {
    await run('mkdir -p locked/in && touch locked/in/x && chmod 000 locked/in locked');
    await workspace.reset();
    expect((await run('ls -A')).stdout).toBe('');
  });

  it('a link to /proc or to the host does not lead a reset astray', async () => {
    await run(`ln -s ${outside} out; ln -s / root`);
    symlinkSync(outside, join(workspace.hostFolder as string, 'second'));
    await workspace.reset();
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('top secret');
  });
});
