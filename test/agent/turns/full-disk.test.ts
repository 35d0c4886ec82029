import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ModelServer } from '../models/model-server.ts';
import { TestPage, textOf } from './support.ts';

const fixture = fileURLToPath(new URL('fixtures/small-disk.mjs', import.meta.url));
const command = fileURLToPath(new URL('../../../packages/desktop-agent/bin/mustard-agent.js', import.meta.url));

/** A small disk of its own, where bubblewrap can make one. */
const jail = ['--dev-bind', '/', '/', '--size', String(8 * 1024 * 1024), '--tmpfs', '/mnt'];
const canMount = spawnSync('bwrap', [...jail, 'true']).status === 0;
if (!canMount) process.stderr.write('The tests of a full disk are skipped: bubblewrap makes no disk here.\n');

test.skipIf(!canMount)('a disk that fills while a chat streams costs the log and no program', async () => {
  await using model = await ModelServer.start();
  const child = spawn('bwrap', [...jail, process.execPath, fixture, '/mnt', model.url], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.stdin.end();
    await exited;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<string> => ((await lines.next()) as { value: string }).value;
  const disk = async (what: 'fill' | 'free'): Promise<void> => {
    child.stdin.write(`${what}\n`);
    expect(await next()).toBe(what);
  };
  const page = await TestPage.open({ url: await next() });
  const appPath = await realpath(await mkdtemp(join(tmpdir(), 'agent-full-')));
  onTestFinished(() => rm(appPath, { recursive: true, force: true }));
  const app = await page.ask('add-app', { path: appPath });
  const { id: chatId } = await page.ask('create-chat', { appId: app.id, mode: 'ask' });
  await page.ask('update-chat', { chatId, model: model.modelId });
  model.reply([{ text: 'Before. ' }, 'hang']);
  const { messageId } = await page.ask('chat:stream', { chatId, text: 'Tell me', uploads: [] });
  await page.until('chat:response:chunk', (chunk) => chunk.messageId === messageId);
  await disk('fill');
  await page.ask('chat:cancel', { chatId });
  await page.ended(messageId);
  await page.until('notice', ({ text }) => text.startsWith('The disk is full, so this answer is not saved.'));
  await expect(page.ask('chat:stream', { chatId, text: 'x'.repeat(500_000), uploads: [] })).rejects.toMatchObject({
    code: 'disk_full',
  });
  await disk('free');
  // By itself: it was kept in memory.
  await expect
    .poll(async () => (await page.ask('get-chat', { chatId })).messages.map(({ state }) => state))
    .toEqual(['complete', 'cancelled']);
  model.reply([{ text: 'After.' }]);
  const later = await page.ask('chat:stream', { chatId, text: 'Go on', uploads: [] });
  expect(textOf(await page.ended(later.messageId))).toBe('After.');
  await page.close();
  expect(child.exitCode).toBe(null);
});

test.skipIf(!canMount).each(['new', 'old'])('a start with a full disk and a %s data folder says so', (which) => {
  const start = `"$0" "$1" --data /mnt/data --no-open`;
  const stop = `& pid=$!; until test -e /mnt/data/running.json; do sleep 0.1; done; kill -INT $pid; wait $pid`;
  const fill = 'cat /dev/zero > /mnt/filler 2>/dev/null';
  const script = `${which === 'old' ? `${start} > /dev/null ${stop};` : ''} ${fill}; ${start}`;
  const { stdout, stderr, status } = spawnSync('bwrap', [...jail, 'sh', '-c', script, process.execPath, command], {
    encoding: 'utf8',
    env: { ...process.env, MUSTARD_AGENT_KEYCHAIN: 'off' },
  });
  expect(stderr).toBe(
    'mustard-agent: The disk of /mnt/data is full, so mustard-agent cannot start. Free some room and try again.\n',
  );
  expect([stdout, status]).toEqual(['', 3]);
});
