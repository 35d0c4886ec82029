import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  bubblewrapCommand,
  endInside,
  exitInside,
  processesInside,
  type BubblewrapFacts,
} from '../../packages/sandbox-client/src/isolation/bubblewrap.ts';
import { isAlive } from '../client/support.ts';
import { noJail } from './support.ts';

const facts: BubblewrapFacts = {
  path: '/usr/bin/bwrap',
  version: '0.8.0',
  roots: ['/home/u/project'],
  own: ['/usr/bin/node', '/lib/libc.so.6'],
  libraryFolders: ['/lib', '/opt/lib'],
  filtered: true,
  cwd: '/opt/daemon/dist',
};

describe('the command line of bubblewrap', () => {
  it('mounts nothing that can be written, and ends with what makes the rest read-only', () => {
    const command = bubblewrapCommand(facts);
    for (const forbidden of ['--bind', '--bind-try', '--tmpfs', '--dev', '--share-net', '--overlay']) {
      expect(command).not.toContain(forbidden);
    }
    expect(command.lastIndexOf('--remount-ro')).toBeGreaterThan(command.lastIndexOf('--ro-bind'));
    expect(command.at(-1)).toBe('--');
  });

  it('asks old versions for nothing that they do not know', () => {
    for (const version of ['0.4.1', '0.6.1', 'unknown']) {
      expect(bubblewrapCommand({ ...facts, version })).not.toContain('--disable-userns');
    }
    for (const version of ['0.8.0', '0.11.0', '1.0.0']) {
      expect(bubblewrapCommand({ ...facts, version })).toContain('--disable-userns');
    }
  });

  it('keeps the memory of other processes and the settings of the kernel from being written', () => {
    expect(bubblewrapCommand(facts).join(' ')).toContain('--proc /proc --remount-ro /proc');
  });
});

describe('how a process inside ended', () => {
  const stderr = '';
  it.each([
    [{ exitCode: 134, signal: undefined }, 'SIGABRT'],
    [{ exitCode: 137, signal: undefined }, 'SIGKILL'],
    [{ exitCode: 139, signal: undefined }, 'SIGSEGV'],
    [{ exitCode: undefined, signal: 'SIGKILL' }, 'SIGKILL'],
  ])('%j is the signal %s', (exit, signal) => {
    expect(exitInside({ ...exit, stderr })).toEqual({ exitCode: undefined, signal, stderr });
  });

  it.each([0, 1, 70, 76, 128, 255])('the exit code %i is one', (exitCode) => {
    expect(exitInside({ exitCode, signal: undefined, stderr })).toEqual({ exitCode, signal: undefined, stderr });
  });
});

it.skipIf(noJail !== undefined)('a jail whose init outlives bubblewrap is ended with all that is in it', async () => {
  // Without --die-with-parent, as if a sidecar had found a way to take that from its init.
  const script = 'sleep 1000 & echo ready; exec sleep 1000';
  const outer = spawn('bwrap', ['--unshare-pid', '--dev-bind', '/', '/', '--proc', '/proc', 'sh', '-c', script]);
  await once(outer.stdout, 'data');
  const { init, sidecar } = processesInside(outer.pid as number);
  outer.kill('SIGKILL');
  await once(outer, 'exit');
  expect(isAlive(sidecar)).toBe(true);
  await endInside(init as NonNullable<typeof init>);
  expect([init?.pid, sidecar].filter((pid) => isAlive(pid as number))).toEqual([]);
});
