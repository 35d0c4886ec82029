import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '@mustard-sandbox/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isAlive } from '../client/support.ts';
import { installMalicious, noJail, type Installation } from './support.ts';

/** What an attack ends with: what it did, or the reason why it could not. */
type Outcome = { did: unknown } | { refused: string };

const isRoot = process.getuid?.() === 0;
const mark = `mustard-attack-${process.pid}`;
let folder: string;
let root: string;
let installation: Installation;
const boxes: Partial<Record<'process' | 'jail', Sandbox>> = {};
const servers: Server[] = [];

beforeAll(async () => {
  if (noJail !== undefined) return;
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-attacks-')));
  root = join(folder, 'root');
  installation = await installMalicious(folder);
  mkdirSync(root);
  writeFileSync(join(root, 'data.txt'), 'data');
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  process.env['MUSTARD_TEST_SECRET'] = 'hunter2';
  for (const isolation of ['process', 'jail'] as const) {
    boxes[isolation] = installation.createSandbox({ isolation, roots: [root], spares: 0, maxProcesses: 1 });
  }
});

afterAll(async () => {
  await Promise.all(Object.values(boxes).map((box) => box.close()));
  for (const server of servers) server.close();
  for (const pid of marked()) process.kill(pid, 'SIGKILL');
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

async function attack(isolation: 'process' | 'jail', source: string): Promise<Outcome> {
  const limits = { timeoutMs: 10_000 };
  const { value } = await (boxes[isolation] as Sandbox).run({ script: source, limits });
  return value as unknown as Outcome;
}

/** Processes with the mark in their environment, as the kernel tells it. */
function marked(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(mark))
    .map(Number);
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}

async function listening(address: string | number): Promise<Server> {
  const server = createServer((socket) => void socket.on('error', () => {}).end());
  servers.push(server);
  if (typeof address === 'number') server.listen(address, '127.0.0.1');
  else server.listen(address);
  await once(server, 'listening');
  return server;
}

const q = JSON.stringify;
const read = (path: string): string => `return require('fs').readFileSync(${q(path)}, 'latin1').length > 0`;
const write = (path: string): string => {
  return `const fs = require('fs'); fs.writeFileSync(${q(path)}, '\\n', { flag: 'a' }); return true`;
};
const dial = (target: string): string => `
  const socket = require('net').connect(${target});
  await require('events').once(socket, 'connect');
  socket.destroy();
  return true`;

/** Each must succeed in a bare process, or its refusal in the jail would show nothing. */
const attacks: Record<string, () => string | Promise<string>> = {
  'reads /etc/passwd': () => read('/etc/passwd'),
  'lists the home folder': () => `return require('fs').readdirSync(${q(homedir())}).length >= 0`,
  'reads a file beside the root': () => read(join(folder, 'secret.txt')),
  'reads a file beside the root, by the root folder of its parent process': () => `
    return require('fs').readFileSync('/proc/' + process.ppid + '/root' + ${q(join(folder, 'secret.txt'))}).length > 0`,
  'writes into a root': () => write(join(root, 'data.txt')),
  'creates a file in a root': () => write(join(root, 'new.txt')),
  'removes a file of a root': () => {
    writeFileSync(join(root, 'remove.txt'), '');
    return `require('fs').unlinkSync(${q(join(root, 'remove.txt'))}); return true`;
  },
  'changes the mode of a file of a root': () =>
    `require('fs').chmodSync(${q(join(root, 'data.txt'))}, 0o600); return 1`,
  'writes to /tmp': () => write(join(tmpdir(), `${mark}.txt`)),
  'writes to shared memory': () => write(`/dev/shm/${mark}`),
  'writes to its own folder': () => write(join(installation.dist, 'new.js')),
  'changes its own program': () => write(join(installation.dist, 'main.cjs')),
  'changes what is compiled of it': () => write(join(installation.dist, 'sidecar.cjs.compiled')),
  'connects by TCP': async () => {
    const { port } = (await listening(0)).address() as AddressInfo;
    return dial(q({ port, host: '127.0.0.1' }));
  },
  'connects to an abstract unix socket': async () => {
    const path = `\0${mark}-${Math.random()}`;
    await listening(path);
    return dial(q({ path }));
  },
  'connects to a unix socket in the file system': async () => {
    const path = join(folder, `${servers.length}.sock`);
    await listening(path);
    return dial(q({ path }));
  },
  'connects to a unix socket in a root': async () => {
    const path = join(root, `${servers.length}.sock`);
    await listening(path);
    return dial(q({ path }));
  },
  'makes a pair of sockets': () => `
    const child = require('child_process').spawn(process.execPath, ['--version'], { stdio: 'pipe' });
    await require('events').once(child, 'exit'); return true`,
  'starts a process': () => `
    const child = require('child_process').spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await require('events').once(child, 'exit'); return true`,
  'opens the memory of a process': () => `require('fs').openSync('/proc/self/mem', 'r+'); return true`,
  'sees the host': () => `
    if (require('fs').readdirSync('/proc').includes('${process.pid}')) return true;
    throw new Error('the host is not in /proc')`,
  'signals the host': () => `process.kill(${process.pid}, 0); return true`,
  'reads the environment of the host': () => read(`/proc/${process.pid}/environ`),
  'runs another program': () => `return require('child_process').execFileSync('/bin/sh', ['-c', 'echo 1']).length > 0`,
  ...(isRoot && {
    'opens the memory of the host': () => `require('fs').openSync('/proc/${process.pid}/mem', 'r+'); return true`,
    'changes a setting of the kernel': () => `
      const fs = require('fs');
      const file = '/proc/sys/kernel/core_pattern';
      fs.writeFileSync(file, fs.readFileSync(file)); return true`,
  }),
};

describe.skipIf(noJail !== undefined)('an engine that was taken over', () => {
  it.each(Object.keys(attacks))('%s: only without the jail', async (name) => {
    const source = attacks[name] as () => string | Promise<string>;
    expect(await attack('process', await source())).toHaveProperty('did');
    expect(await attack('jail', await source())).toHaveProperty('refused');
  });

  it('reads the roots in the jail as well', async () => {
    expect(await attack('jail', read(join(root, 'data.txt')))).toEqual({ did: true });
  });

  it('listens where the host could be reached: only without the jail', async () => {
    const listen = `
      const server = globalThis.server = require('net').createServer((socket) => socket.end());
      server.listen(0, '127.0.0.1');
      await require('events').once(server, 'listening');
      return server.address().port`;
    const reached = async (isolation: 'process' | 'jail'): Promise<boolean> => {
      const outcome = await attack(isolation, listen);
      if (!('did' in outcome)) return false;
      const socket = connect(outcome.did as number, '127.0.0.1');
      const connected = once(socket, 'connect').then(
        () => true,
        () => false,
      );
      return await connected.finally(() => socket.destroy());
    };
    expect(await reached('process')).toBe(true);
    expect(await reached('jail')).toBe(false);
  });

  it('sees no secret of the host in its own environment, with or without the jail', async () => {
    for (const isolation of ['process', 'jail'] as const) {
      const outcome = await attack(isolation, 'return JSON.stringify(process.env)');
      expect(outcome).toEqual({ did: expect.not.stringMatching(/hunter2|HOME|PATH=/) });
    }
  });

  it('outlives its parent as a daemon: only without the jail', async () => {
    const detach = `
      const options = { detached: true, stdio: 'ignore', env: { ...process.env, MARK: ${q(mark)} } };
      const child = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], options);
      await require('events').once(child, 'spawn');
      child.unref();
      return child.pid`;
    expect(marked()).toEqual([]);
    for (const isolation of ['process', 'jail'] as const) {
      const box = installation.createSandbox({ isolation, roots: [root], spares: 0, maxProcesses: 1 });
      const { value } = await box.run({ script: detach });
      expect(value).toHaveProperty(isolation === 'process' ? 'did' : 'refused');
      if (isolation === 'process') await vi.waitFor(() => expect(marked()).toHaveLength(1));
      await box.close();
      if (isolation === 'process') {
        const [pid] = marked() as [number];
        expect(isAlive(pid)).toBe(true);
        process.kill(pid, 'SIGKILL');
      }
      await vi.waitFor(() => expect(marked()).toEqual([]));
    }
  });

  it('cannot signal, nor outlast, the init of its jail', async () => {
    const box = installation.createSandbox({ isolation: 'jail', roots: [root], spares: 0, maxProcesses: 1 });
    const script = `process.kill(1, 'SIGKILL'); process.kill(1, 'SIGSTOP'); return require('fs').readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length`;
    const { value } = await box.run({ script });
    expect(value).toEqual({ did: 2 });
    const pids = box.stats().processes.map(({ pid }) => pid);
    await box.close();
    expect(pids.some(isAlive)).toBe(false);
  });
});

it.skipIf(noJail !== undefined)('what the attacks left without the jail shows that they were real', () => {
  expect(existsSync(join(root, 'new.txt'))).toBe(true);
  rmSync(join(tmpdir(), `${mark}.txt`));
  rmSync(`/dev/shm/${mark}`);
});
