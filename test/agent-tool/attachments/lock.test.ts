import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { AttachmentStore } from '@mustard-sandbox/agent-tool';
import { withLock } from '../../../packages/agent-tool/src/attachments/lock.ts';
import { ownerOf, ownerPattern, ownerTag, stateOf } from '../../../packages/agent-tool/src/attachments/owner.ts';
import { makeFolder } from '../../files/support.ts';
import { isFull } from '../../full.ts';
import { bundleFixture, bytes, failureOf } from './support.ts';

let scripts: { loop: string; hold: string };
const shared = mkdtempSync(join(tmpdir(), 'mustard-lock-'));
afterAll(() => rmSync(shared, { recursive: true }));
beforeAll(async () => {
  scripts = { loop: await bundleFixture('lock-loop', shared), hold: await bundleFixture('lock-hold', shared) };
});

const fast = { waitMs: 20_000, unknownMs: 300 };

function claimsIn(folder: string): string[] {
  return readdirSync(join(folder, '.lock'));
}

/** A claim of a process that we make up. It came long ago, so it goes first. */
function putClaim(folder: string, tag: string): string {
  const path = join(folder, '.lock', `000000001.${tag}`);
  mkdirSync(join(folder, '.lock'), { recursive: true });
  writeFileSync(path, '');
  return path;
}

function tagOf(owner: { host?: string; pid?: number; start?: string }): string {
  const [host, pid, start, random] = ownerTag().split('-');
  return [owner.host ?? host, owner.pid ?? pid, owner.start ?? start, random].join('-');
}

async function startHolder(folder: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [scripts.hold, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}

describe('one at a time', () => {
  test('in this process, in the order of the calls', async () => {
    const folder = makeFolder();
    const order: number[] = [];
    const calls = Array.from({ length: 20 }, (_, index) =>
      withLock(folder, fast, async () => {
        order.push(index);
        await new Promise(setImmediate);
        order.push(index);
        if (index % 3 === 0) throw new Error('does not matter to the next');
      }).catch(() => {}),
    );
    await Promise.all(calls);
    expect(order).toEqual(Array.from({ length: 40 }, (_, index) => index >> 1));
    expect(claimsIn(folder)).toEqual([]);
  });

  test('over processes', async () => {
    const folder = makeFolder({ count: '0' });
    const each = isFull ? 40 : 10;
    const children = Array.from({ length: 5 }, () =>
      spawn(process.execPath, [scripts.loop, folder, String(each)], { stdio: 'inherit' }),
    );
    onTestFinished(() => children.forEach((child) => child.kill('SIGKILL')));
    const ends = await Promise.all(children.map((child) => once(child, 'exit')));
    expect(ends.map(([code]) => code)).toEqual([0, 0, 0, 0, 0]);
    expect(readFileSync(join(folder, 'count'), 'utf8')).toBe(String(5 * each));
    expect(claimsIn(folder)).toEqual([]);
  });
});

describe('many that wait', () => {
  /** Calls by different names of the folder do not know of each other, as processes do not. */
  async function line(count: number, waitMs: number, holdMs: number): Promise<{ order: number[]; folder: string }> {
    const folder = makeFolder();
    const order: number[] = [];
    const calls: Promise<void>[] = [];
    const seen = new Set<string>();
    for (let index = 0; index < count; index++) {
      const call = withLock(`${folder}${'/.'.repeat(index)}`, { waitMs }, async () => {
        order.push(index);
        await delay(holdMs);
      });
      calls.push(call);
      // Who came first is told by the ms, and by a file that the others see: on a slow disk a later call was faster.
      const now = Date.now();
      await vi.waitUntil(
        () => {
          if (Date.now() === now) return false;
          const callers = existsSync(join(folder, '.lock'))
            ? claimsIn(folder).map((name) => name.replace('.waits', ''))
            : [];
          const isNew = callers.some((name) => !seen.has(name));
          for (const name of callers) seen.add(name);
          return isNew || order.includes(index);
        },
        { interval: 1, timeout: 20_000 },
      );
    }
    await Promise.all(calls);
    return { order, folder };
  }

  test('get their turn in the order of coming', async () => {
    const { order, folder } = await line(20, 20_000, 100);
    expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect(claimsIn(folder)).toEqual([]);
  });

  test('wait for each before them, not for all together', async () => {
    const { order } = await line(12, 1_500, 200);
    expect(order).toHaveLength(12);
  });

  test('do not wait for one that came first and does nothing', async () => {
    const folder = makeFolder();
    const ticket = `${putClaim(folder, tagOf({}))}.waits`;
    renameSync(ticket.replace('.waits', ''), ticket);
    expect(await withLock(folder, { waitMs: 0 }, async () => 'in')).toBe('in');
    expect(claimsIn(folder)).toEqual([basename(ticket)]);
  });

  test('nor for one that is dead', async () => {
    const folder = makeFolder();
    const claim = putClaim(folder, tagOf({ pid: 9_999_999_999 }));
    renameSync(claim, `${claim}.waits`);
    expect(await withLock(folder, { waitMs: 0 }, async () => 'in')).toBe('in');
    expect(claimsIn(folder)).toEqual([]);
  });
});

describe('a holder that lives', () => {
  test.each([['runs'], ['is stopped']])('and %s is waited for, then named', async (how) => {
    const app = makeFolder();
    const store = new AttachmentStore(app, { lockWaitMs: 200 });
    await store.store(bytes('a'), 'a.txt');
    const holder = await startHolder(store.directory);
    if (how === 'is stopped') holder.kill('SIGSTOP');
    const error = await failureOf(store.store(bytes('b'), 'b.txt'));
    expect(error).toMatchObject({ code: 'locked', details: { pid: holder.pid, waitMs: 200 } });
    expect(error.message).toContain(`process ${holder.pid}`);
    // Reading needs no lock.
    expect(await store.list()).toHaveLength(1);
    holder.kill('SIGCONT');
    const waiting = new AttachmentStore(app).store(bytes('b'), 'b.txt');
    holder.stdin?.end();
    expect((await waiting).name).toBe('b.txt');
    expect(claimsIn(store.directory)).toEqual([]);
  });

  test('is not waited for after an abort', async () => {
    const folder = makeFolder();
    const holder = await startHolder(folder);
    const controller = new AbortController();
    const call = withLock(folder, { ...fast, signal: controller.signal }, () => expect.unreachable());
    const behind = withLock(folder, fast, async () => 'then');
    controller.abort();
    expect((await failureOf(call)).code).toBe('cancelled');
    holder.stdin?.end();
    expect(await behind).toBe('then');
  });
});

describe('a holder that is dead', () => {
  test('loses the lock at once', async () => {
    const folder = makeFolder();
    const holder = await startHolder(folder);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    expect(claimsIn(folder)).toHaveLength(1);
    expect(await withLock(folder, { waitMs: 0 }, async () => 'in')).toBe('in');
    expect(claimsIn(folder)).toEqual([]);
  });

  test('is not mistaken for the process that has its number now', async ({ skip }) => {
    if (process.platform !== 'linux') skip('only Linux tells when a process started');
    const folder = makeFolder();
    putClaim(folder, tagOf({ start: 'aaaaaaaa1' }));
    expect(await withLock(folder, { waitMs: 0 }, async () => 'in')).toBe('in');
    expect(claimsIn(folder)).toEqual([]);
  });

  test.each([0, 4_194_305, 9_999_999_999])('may have the number %d', async (pid) => {
    const folder = makeFolder();
    putClaim(folder, tagOf({ pid }));
    expect(await withLock(folder, { ...fast, waitMs: 2_000 }, async () => 'in')).toBe('in');
  });
});

describe('a holder on another computer', () => {
  test('that does nothing any more loses the lock', async () => {
    const folder = makeFolder();
    putClaim(folder, tagOf({ host: '00000000' }));
    const error = await failureOf(withLock(folder, { waitMs: 50, unknownMs: 60_000 }, () => expect.unreachable()));
    expect(error).toMatchObject({ code: 'locked', message: expect.stringContaining('another computer') });
    expect(await withLock(folder, fast, async () => 'in')).toBe('in');
    expect(claimsIn(folder)).toEqual([]);
  });

  test('that renews its claim keeps it', async () => {
    const folder = makeFolder();
    const claim = putClaim(folder, tagOf({ host: '00000000' }));
    let time = 1_000_000;
    const renewal = setInterval(() => utimesSync(claim, time, time++), 20);
    try {
      const call = withLock(folder, { waitMs: 2_000, unknownMs: 1_000 }, () => expect.unreachable());
      expect((await failureOf(call)).code).toBe('locked');
    } finally {
      clearInterval(renewal);
    }
    expect(claimsIn(folder)).toHaveLength(1);
  });
});

test('what is no claim is left alone', async () => {
  const folder = makeFolder({ '.lock/.DS_Store': '', '.lock/note': '' });
  expect(await withLock(folder, { waitMs: 0 }, async () => 'in')).toBe('in');
  expect(claimsIn(folder)).toEqual(['.DS_Store', 'note']);
});

test('this process is alive to itself, whoever asks', () => {
  const match = new RegExp(`^${ownerPattern}$`).exec(ownerTag());
  expect(stateOf(ownerOf((match ?? []).slice(1)))).toBe(process.platform === 'linux' ? 'alive' : 'unknown');
});
