import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Stage } from '../turns/support.ts';
import { answering, appOf, ask, command, isAlive, manifest, started, until } from './support.ts';

const onLinux = process.platform === 'linux';
const stage = await Stage.start();

describe('the question before a start', () => {
  test('shows the whole command with what runs before it, and the folder; without a yes nothing runs', async () => {
    const asked = answering(stage, 'deny');
    const { appId, appPath, pids } = await appOf(stage, 'plain', { scripts: { predev: 'echo made >made' } });
    const preview = await stage.page.ask('start-preview', { appId, script: 'dev' });
    expect(preview).toMatchObject({ state: 'off', command: null, ports: [] });
    const dev = command('plain', join(appPath, 'pids'));
    expect(asked).toMatchObject([
      { command: `(echo made >made) && (${dev})`, folder: appPath, where: { app: expect.any(String) as string } },
    ]);
    expect(pids()).toEqual([]);
  });

  test('shows what is run, whatever shell and settings a repository names for npm', async () => {
    const asked = answering(stage, 'allow-once');
    const files = {
      '.npmrc': 'script-shell=./evil.sh\nnode-options=--import=./evil.mjs\n',
      'evil.sh': '#!/bin/sh\ntouch evil\n',
    };
    const { appId, appPath, pids } = await appOf(stage, 'plain', { files });
    await stage.page.ask('start-preview', { appId, script: 'dev' });
    await until(stage, appId, ({ state }) => state === 'running');
    expect(asked[0]?.command).toBe(command('plain', join(appPath, 'pids')));
    expect(pids()).toHaveLength(1);
    const { files: listed } = await stage.page.ask('list-app-files', { appId });
    expect(listed).not.toContain('evil');
    await stage.page.ask('stop-preview', { appId });
  });

  test('is not asked again of just this command once it is always allowed, and is of any other', async () => {
    const asked = answering(stage, 'allow-always');
    const { appId, appPath } = await appOf(stage, 'plain');
    await stage.page.ask('start-preview', { appId, script: 'dev' });
    await stage.page.ask('start-preview', { appId, script: 'dev' });
    expect(asked).toHaveLength(1);
    await writeFile(join(appPath, 'package.json'), manifest({ dev: `${command('plain')} # other` }));
    await stage.page.ask('start-preview', { appId, script: 'dev' });
    expect(asked).toHaveLength(2);
    await stage.page.ask('stop-preview', { appId });
  });

  test('a script that changed while it was asked about is not run', async () => {
    const { appId, appPath, pids } = await appOf(stage, 'plain');
    let change: Promise<void> | undefined;
    stage.page.onQuestion = ({ id }) => {
      change = writeFile(join(appPath, 'package.json'), manifest({ dev: command('stubborn', join(appPath, 'pids')) }));
      void change.then(() => stage.page.ask('answer-question', { id, answer: 'allow-once' }));
      return undefined;
    };
    await expect(stage.page.ask('start-preview', { appId, script: 'dev' })).rejects.toMatchObject({ code: 'changed' });
    expect(pids()).toEqual([]);
  });

  test('is closed by Stop, and a second start meanwhile is refused', async () => {
    const { appId } = await appOf(stage, 'plain');
    stage.page.onQuestion = undefined;
    const start = stage.page.ask('start-preview', { appId, script: 'dev' });
    await until(stage, appId, ({ state }) => state === 'asking');
    await expect(stage.page.ask('start-preview', { appId, script: 'dev' })).rejects.toMatchObject({ code: 'busy' });
    await stage.page.ask('stop-preview', { appId });
    expect(await start).toMatchObject({ state: 'off' });
    const { questions } = await stage.page.ask('get-state', {});
    expect(questions.filter(({ kind }) => kind === 'dev-script')).toEqual([]);
  });

  test.each([
    ['no package.json', undefined],
    ['a broken one', '{'],
    ['one of another shape', '{"scripts":["rm"]}'],
    ['one without scripts', '{"scripts":{"dev":7}}'],
  ])('with %s there is nothing to start, and the page is told why', async (_, content) => {
    const { chat } = await stage.chat('build', content === undefined ? { 'a.txt': '' } : { 'package.json': content });
    const { scripts, why } = await stage.page.ask('get-preview', { appId: chat.appId });
    expect(scripts).toEqual([]);
    expect(why).toMatch(/package\.json/);
    await expect(stage.page.ask('start-preview', { appId: chat.appId, script: 'dev' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('a dev server', () => {
  test.each(['plain', 'six', 'silent'])('that listens is found and shown: %s', async (mode) => {
    if (mode === 'silent' && !onLinux) return;
    const { preview, appId, pids } = await started(stage, mode);
    expect(preview.ports).toEqual([preview.port]);
    expect((await ask(preview, '/')).body).toContain('The shop');
    await stage.page.ask('stop-preview', { appId });
    expect(pids().filter(isAlive)).toEqual([]);
    expect((await ask(preview, '/')).status).toBe(503);
  });

  test('that never listens can be stopped, and its error is told', async () => {
    answering(stage, 'allow-once');
    const { appId, pids } = await appOf(stage, 'never');
    await stage.page.ask('start-preview', { appId, script: 'dev' });
    const preview = await until(stage, appId, ({ errors }) => errors.length > 0);
    expect(preview).toMatchObject({ state: 'starting', port: null, errors: [{ text: 'Error: the database is away' }] });
    expect(await stage.page.ask('stop-preview', { appId })).toMatchObject({ state: 'off' });
    expect(pids().filter(isAlive)).toEqual([]);
  });

  test('that ends says how, with its error', async () => {
    answering(stage, 'allow-once');
    const { appId } = await appOf(stage, 'dies');
    await stage.page.ask('start-preview', { appId, script: 'dev' });
    const preview = await until(stage, appId, ({ state }) => state === 'ended');
    expect(preview).toMatchObject({
      exit: 'exit code 3',
      errors: [{ text: 'Error: Cannot find module "left-pad"\n    at start (dev.js:1:1)' }],
    });
    expect((await stage.page.ask('read-preview-output', { appId })).text).toContain('left-pad');
  });

  test.runIf(onLinux)('that names the port of another program is not believed', async () => {
    const other = createServer((_, response) => response.end('secret of another program'));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    answering(stage, 'allow-once');
    const { port } = other.address() as AddressInfo;
    const { appId } = await appOf(stage, 'lies', { scripts: { dev: command('lies', '/dev/null', String(port)) } });
    await stage.page.ask('start-preview', { appId, script: 'dev' });
    await expect
      .poll(async () => (await stage.page.ask('read-preview-output', { appId })).text)
      .toContain(String(port));
    const { preview } = await stage.page.ask('get-preview', { appId });
    expect(preview).toMatchObject({ state: 'starting', ports: [] });
    const answer = await ask(preview, '/');
    expect(answer.status).toBe(503);
    expect(answer.body).not.toContain('secret');
    await expect(stage.page.ask('choose-preview-port', { appId, port })).rejects.toMatchObject({ code: 'not_found' });
    await stage.page.ask('stop-preview', { appId });
  });

  test.runIf(onLinux)(
    'that listens on several ports shows the one that it printed, and the one that is chosen',
    async () => {
      const { preview, appId } = await started(stage, 'several');
      const both = await until(stage, appId, ({ ports }) => ports.length === 2);
      const other = both.ports.find((port) => port !== both.port) as number;
      expect((await ask(preview, '/')).body).toContain('The shop');
      await stage.page.ask('choose-preview-port', { appId, port: other });
      expect((await ask(preview, '/')).body).toBe('the other one');
      await stage.page.ask('stop-preview', { appId });
    },
  );

  test('that prints without end takes neither memory nor the program', async () => {
    const { preview, appId, pids } = await started(stage, 'endless');
    const printed = async (): Promise<number> => (await stage.page.ask('read-preview-output', { appId })).left;
    await expect.poll(printed).toBeGreaterThan(8_000_000);
    const { text } = await stage.page.ask('read-preview-output', { appId });
    expect(text.length).toBeLessThanOrEqual(200_000);
    expect((await ask(preview, '/')).body).toContain('The shop');
    await stage.page.ask('stop-preview', { appId });
    expect(pids().filter(isAlive)).toEqual([]);
  });

  test.runIf(onLinux)(
    'that goes its own way, and ends at no signal that it can hear, is found, shown and ended',
    async () => {
      const { preview, appId, pids } = await started(stage, 'forks');
      expect(pids()).toHaveLength(2);
      expect((await ask(preview, '/')).body).toContain('The shop');
      await stage.page.ask('stop-preview', { appId });
      expect(pids().filter(isAlive)).toEqual([]);
    },
  );

  test('gets none of the variables of this program but what programs need', async () => {
    process.env['SECRET_KEY_OF_A_MODEL'] = 'sk-secret';
    onTestFinished(() => void delete process.env['SECRET_KEY_OF_A_MODEL']);
    answering(stage, 'allow-once');
    const { appId } = await appOf(stage, 'plain', { scripts: { dev: 'env; sleep 100' } });
    await stage.page.ask('start-preview', { appId, script: 'dev' });
    await expect.poll(async () => (await stage.page.ask('read-preview-output', { appId })).text).toContain('PATH=');
    expect((await stage.page.ask('read-preview-output', { appId })).text).not.toContain('sk-secret');
    await stage.page.ask('stop-preview', { appId });
  });

  test('ends with its app, when that is taken off the list', async () => {
    const { appId, pids } = await started(stage, 'plain');
    await stage.page.ask('remove-app', { appId });
    expect(pids().filter(isAlive)).toEqual([]);
  });
});

test('other processes of the person are left alone', async () => {
  const bystander = spawn('sleep', ['1000'], { detached: true });
  onTestFinished(() => void bystander.kill('SIGKILL'));
  const { appId } = await started(stage, 'forks');
  await stage.page.ask('stop-preview', { appId });
  expect(isAlive(bystander.pid as number)).toBe(true);
});
