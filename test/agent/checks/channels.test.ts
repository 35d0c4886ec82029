import { describe, expect, test } from 'vitest';
import { Peer, startAgent } from '../support.ts';
import { appWith } from './support.ts';

describe('the page', () => {
  test('gets the context of an app with its tokens, and sets which files it has', async () => {
    const program = await startAgent();
    const page = await Peer.ready(program);
    const appId = await program.addFolder(appWith({ 'src/a.ts': 'hello world', 'docs/b.md': '# B', '.env': 'KEY=1' }));
    const whole = await page.ask('get-context', { appId });
    expect(whole).toMatchObject({ tokens: 4, omitted: 0 });
    expect(whole.files.map(({ path, tokens }) => [path, tokens])).toEqual([
      ['docs/b.md', 2],
      ['src/a.ts', 2],
    ]);
    const context = { include: [], exclude: ['docs'], strict: false };
    const less = await page.ask('set-context', { appId, context });
    expect(less.files.map(({ path }) => path)).toEqual(['src/a.ts']);
    expect(await page.ask('get-app', { appId })).toMatchObject({ context });
  });

  test('is told why an app has no problems, and whether its compiler may run without a jail is kept', async () => {
    const program = await startAgent();
    const page = await Peer.ready(program);
    const appId = await program.addFolder(appWith({ 'a.ts': 'const a: number = "";' }));
    const { apps } = program.services;
    expect(await apps.allowsUnjailed(appId)).toBe('nothing');
    const report = await page.ask('check-problems', { appId, allowUnjailed: 'everything' });
    expect(report).toMatchObject({ problems: [], more: 0, unchecked: { reason: 'no-typescript' } });
    await page.ask('check-problems', { appId });
    expect(await apps.allowsUnjailed(appId)).toBe('everything');
    await page.ask('check-problems', { appId, allowUnjailed: 'reading' });
    expect(await apps.allowsUnjailed(appId)).toBe('reading');
    await page.ask('check-problems', { appId, allowUnjailed: 'nothing' });
    expect(await apps.allowsUnjailed(appId)).toBe('nothing');
  });
});
