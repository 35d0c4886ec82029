import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { App, Params, Result } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import type { Program } from '../../../packages/desktop-agent/src/server/program.ts';
import { git, put } from '../changes/apps.ts';
import { load, Peer, startAgent, tempFolder } from '../support.ts';

const { matcherOf } =
  await load<typeof import('../../../packages/desktop-agent/src/server/search/matcher.ts')>('server/search/matcher.js');

interface Begun {
  page: Peer;
  app: App;
  program: Program;
  find: (query: Partial<Params<'search-files'>> & { text: string }) => Promise<Result<'search-files'>>;
}

async function begin(files: Record<string, string | Buffer>): Promise<Begun> {
  const program = await startAgent();
  const page = await Peer.ready(program);
  const folder = await tempFolder();
  put(folder, files);
  git(folder, 'init', '-q');
  const app = await page.ask('add-app', { path: folder });
  let id = 0;
  const find: Begun['find'] = async (query) => {
    const searchId = `search-${++id}`;
    return await page.ask('search-files', { searchId, appId: app.id, matchCase: false, pattern: false, ...query });
  };
  return { page, app, program, find };
}

describe('in files', () => {
  test('finds lines by their text in any case, and by a pattern', async () => {
    const { find } = await begin({ 'a.txt': 'One (1)\r\ntwo\n', 'src/b.ts': 'const one = 1;\n' });
    expect(await find({ text: 'ONE' })).toEqual({
      matches: [
        { path: 'a.txt', line: 1, text: 'One (1)', start: 0, end: 3 },
        { path: 'src/b.ts', line: 1, text: 'const one = 1;', start: 6, end: 9 },
      ],
      cut: null,
      skipped: 0,
    });
    expect((await find({ text: 'One', matchCase: true })).matches).toHaveLength(1);
    expect((await find({ text: '(1)' })).matches).toHaveLength(1);
    expect((await find({ text: String.raw`o\w+\s*=`, pattern: true })).matches).toMatchObject([{ path: 'src/b.ts' }]);
    await expect(find({ text: '(', pattern: true })).rejects.toThrow(/not a regular expression/);
  });

  test('reads nothing that is ignored, secret, binary or behind a link, and says what was too large', async () => {
    const { app, find } = await begin({
      '.gitignore': 'out/\n',
      'out/x.txt': 'needle',
      '.env': 'KEY=needle',
      'image.png': Buffer.from('\0needle'),
      'big.log': `needle${'x'.repeat(1024 * 1024)}`,
      'a.txt': 'needle',
    });
    const elsewhere = await tempFolder();
    put(elsewhere, { 'secret.txt': 'needle' });
    symlinkSync(elsewhere, join(app.path, 'link'));
    expect(await find({ text: 'needle' })).toMatchObject({ matches: [{ path: 'a.txt' }], skipped: 1 });
  });

  test('shows the part of a long line that has the match', async () => {
    const { find } = await begin({ 'a.min.js': `${'\u{1F600}'.repeat(500)}needle${'y'.repeat(5000)}` });
    const [match] = (await find({ text: 'needle' })).matches;
    expect(match?.text.slice(match.start, match.end)).toBe('needle');
    expect(match?.text.length).toBeLessThan(300);
    expect(match?.text).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
  });

  test('stops at 500 lines', async () => {
    const { find } = await begin({ 'a.txt': 'x\n'.repeat(600), 'b.txt': 'x' });
    expect(await find({ text: 'x' })).toMatchObject({ matches: { length: 500 }, cut: 'matches' });
  });

  test('ends a pattern that backtracks for ever, and goes on working', async () => {
    const { page, app, find } = await begin({ 'a.txt': `${'a'.repeat(60)}b`, 'b.txt': 'other' });
    const running = find({ text: '(a+)+$', pattern: true });
    // Another page is answered meanwhile.
    expect(await page.ask('list-chats', { appId: app.id })).toEqual([]);
    await expect(running).rejects.toMatchObject({ code: 'limit_exceeded' });
    expect((await find({ text: 'other' })).matches).toHaveLength(1);
  });

  test('ends at once when it is cancelled, also within one line', async () => {
    const { page, app, find } = await begin({ 'a.txt': `${'a'.repeat(60)}b` });
    const begun = Date.now();
    const asked = { searchId: 'mine', appId: app.id, matchCase: false };
    const running = page.ask('search-files', { ...asked, text: '(a+)+$', pattern: true });
    const refused = running.then(
      () => 'done',
      (error: { code: string }) => error.code,
    );
    await expect(page.ask('search-files', { ...asked, text: 'a', pattern: false })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await page.ask('cancel-search', { searchId: 'mine' });
    expect(await refused).toBe('cancelled');
    await page.ask('cancel-search', { searchId: 'none' });
    expect((await find({ text: 'ab' })).matches).toHaveLength(1);
    // The thread was ended: else the second search would have waited until the limit of 15 s.
    expect(Date.now() - begun).toBeLessThan(14_000);
  });
});

describe('in chats', () => {
  test('finds titles and what both sides said, the newest first, and nothing of other apps and deleted chats', async () => {
    const { page, app, program } = await begin({});
    const other = await page.ask('add-app', { path: await tempFolder() });
    const [chat, gone, foreign] = [
      await page.ask('create-chat', { appId: app.id }),
      await page.ask('create-chat', { appId: app.id }),
      await page.ask('create-chat', { appId: other.id }),
    ];
    const say = async (chatId: string, ...texts: string[]): Promise<void> => {
      for (const text of texts) {
        const parts = [
          { type: 'reasoning' as const, text: 'a needle' },
          { type: 'text' as const, text },
        ];
        await program.services.chats.add({ chatId, role: 'user', parts, state: 'complete' });
      }
    };
    await say(
      chat.id,
      'first\nthe "Needle" is here',
      ...Array.from({ length: 50 }, (_, n) => `hay ${n}`),
      'needle two',
    );
    await say(gone.id, 'needle of a deleted chat');
    await say(foreign.id, 'needle of another app');
    await page.ask('delete-chat', { chatId: gone.id });
    await page.ask('update-chat', { chatId: chat.id, title: 'The needle' });
    const { matches, cut } = await page.ask('search-chats', {
      searchId: 'x',
      appId: app.id,
      text: 'needle',
      matchCase: false,
    });
    expect(cut).toBeNull();
    expect(matches.map(({ chatId, text }) => [chatId, text])).toEqual([
      [chat.id, 'The needle'],
      [chat.id, 'needle two'],
      [chat.id, 'the "Needle" is here'],
    ]);
    expect(matches[0]?.messageId).toBeNull();
  });
});

test('a text that is no pattern is found where it is, whatever its characters', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string(), (text, before) => {
      const line = `${before}${text}`;
      const found = matcherOf({ text, pattern: false, matchCase: true })(line);
      expect(found).toBeDefined();
      if (found !== undefined)
        expect(found.text.slice(found.start, found.end)).toBe(text.slice(0, found.end - found.start));
    }),
  );
});
