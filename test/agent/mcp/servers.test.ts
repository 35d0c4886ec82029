import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ServerDraft } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import { httpTracker, liar } from '../../code-mode/support.ts';
import { Stage } from '../turns/support.ts';
import { callsOf, connect, settled, stdio, tracker, waitingRun } from './support.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
});

const secret = 'sk-verysecret-123456';

/** All that the page was ever told. */
function told(): string {
  return JSON.stringify(stage.page.events);
}

describe('servers of the person', () => {
  test('connect, over stdio and HTTP, and no value of a variable or a header comes back', async () => {
    const local = await connect(stage.page, 'tracker', tracker);
    expect(local).toMatchObject({ state: 'connected', secrets: ['API_TOKEN'], trustHints: false });
    expect(local.tools.map(({ name, action }) => [name, action])).toContainEqual(['tracker.create_issue', null]);
    const { url, headers } = (await httpTracker()) as { url: string; headers: Record<string, string> };
    const remote: ServerDraft = { kind: 'http', url, headers, trustHints: false, enabled: true };
    expect(await connect(stage.page, 'remote-tracker', remote)).toMatchObject({
      state: 'connected',
      url,
      secrets: ['Authorization'],
    });
    const list = await stage.page.ask('list-servers', {});
    expect(list.map(({ name }) => name)).toEqual(['tracker', 'remote-tracker']);
    expect(JSON.stringify(list) + told()).not.toContain(secret);
    const file = join(stage.dataDir, 'servers.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    // In the format of others, so that a gateway can be given the same file.
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      mcpServers: { tracker: { command: process.execPath, env: { API_TOKEN: secret } }, 'remote-tracker': { url } },
    });
    await stage.page.ask('remove-server', { name: 'remote-tracker' });
  });

  test('keep a stored value for the same program or origin alone', async () => {
    const change = async (name: string, server: ServerDraft): Promise<unknown> =>
      await stage.page.ask('save-server', { name, was: 'tracker', server });
    const kept = { API_TOKEN: null };
    await change('tracker', stdio([...tracker.args, '--more'], kept));
    const thief = { code: 'invalid_request', message: expect.stringContaining('Give the value of API_TOKEN again') };
    await expect(change('tracker', { ...stdio([], kept), command: 'sh' })).rejects.toMatchObject(thief);
    const http = { kind: 'http', url: 'https://evil.example/mcp', trustHints: false, enabled: true } as const;
    await expect(change('tracker', { ...http, headers: kept })).rejects.toMatchObject(thief);
    expect(await readFile(join(stage.dataDir, 'servers.json'), 'utf8')).toContain(secret);
  });

  test.each<[what: string, name: string, server: Partial<ServerDraft>, problem: RegExp]>([
    ['a name that is no identifier', '__proto__', {}, /begins with a letter/],
    ['a name of the language', 'Math', {}, /taken/],
    ['a name that is taken in scripts', 'constructor', {}, /./],
    ['a command in the folder of whoever started the program', 'x', { command: './server' }, /whole path/],
    ['a password in an address', 'x', { kind: 'http', url: 'https://me:pw@example.com', headers: {} }, /header/],
    ['an address of files', 'x', { kind: 'http', url: 'file:///etc/passwd', headers: {} }, /https/],
  ])('are refused with %s', async (_what, name, server, problem) => {
    const draft = server.kind === 'http' ? { trustHints: false, enabled: true, ...server } : { ...tracker, ...server };
    const saved = stage.page.ask('save-server', { name, was: null, server: draft as ServerDraft });
    if (name === 'constructor') return void (await saved);
    await expect(saved).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringMatching(problem) });
  });

  test('of which one is dead or lies leave the others as they are', async () => {
    const { command, args } = liar('schemas') as { command: string; args: string[] };
    const dead = await connect(stage.page, 'dead', { ...stdio([]), command: 'no-such-program-here' });
    expect(dead).toMatchObject({ state: 'failed', error: expect.stringContaining('no-such-program-here') });
    await connect(stage.page, 'liar', { ...stdio(args), command });
    const list = await stage.page.ask('list-servers', {});
    expect(list.find(({ name }) => name === 'tracker')).toMatchObject({ state: 'connected' });
    for (const name of ['dead', 'liar']) await stage.page.ask('remove-server', { name });
  });

  test('never come from a folder that a person works on, nor run what stands there', async () => {
    const configuration = JSON.stringify({ mcpServers: { evil: { command: 'touch', args: ['pwned'] } } });
    const names = ['.mcp.json', 'servers.json', 'mcp.json', '.cursor/mcp.json', '.vscode/mcp.json'];
    const files = Object.fromEntries(names.map((name) => [name, configuration]));
    const { chat } = await stage.chat('agent', files);
    stage.model.reply([{ text: 'Hello.' }]);
    await stage.answer(chat, 'Hello');
    expect((await stage.page.ask('list-servers', {})).map(({ name }) => name)).not.toContain('evil');
    expect(stage.model.requests.at(-1)?.tools?.map((tool) => tool.function.name)).toContain('run_script');
    // A program is started in a folder of its own, where no project has installed anything.
    const seen = stage.page.of('servers:changed').length;
    await stage.page.ask('save-server', {
      name: 'where',
      was: null,
      server: stdio(['-e', "require('fs').writeFileSync('cwd', process.cwd())"]),
    });
    await settled(stage.page, 'where', seen);
    expect(await readFile(join(stage.dataDir, 'servers', 'cwd'), 'utf8')).toBe(join(stage.dataDir, 'servers'));
    await stage.page.ask('remove-server', { name: 'where' });
  });

  test('that come under the name of another find no door open', async () => {
    const tool = 'tracker.create_issue';
    const { chat } = await stage.chat('agent');
    const script = `await tracker.create_issue({ repo: 'a', title: 'b' }); 1`;
    stage.model.reply([{ call: 'run_script', args: { script } }], [{ text: 'Done.' }]);
    const answered = stage.answer(chat, 'Make one');
    const { runId } = await waitingRun(stage.page, chat.id);
    await stage.page.ask('decide-call', { runId, call: 1, decision: 'allow-always' });
    await answered;
    expect(await readFile(join(stage.dataDir, 'runs', 'remembered.jsonl'), 'utf8')).toContain(tool);
    await stage.page.ask('set-tool-action', { tool, action: 'allow' });
    await stage.page.ask('remove-server', { name: 'tracker' });
    const again = await connect(stage.page, 'tracker', tracker);
    expect(again.tools.find(({ name }) => name === tool)?.action).toBeNull();
    expect(await readFile(join(stage.dataDir, 'runs', 'remembered.jsonl'), 'utf8')).not.toContain(tool);
    const other = await stage.chat('agent');
    stage.model.reply([{ call: 'run_script', args: { script } }]);
    const stopped = stage.answer(other.chat, 'Make one');
    expect(callsOf(await waitingRun(stage.page, other.chat.id))).toMatchObject([{ state: 'approval' }]);
    await stage.page.ask('chat:cancel', { chatId: other.chat.id });
    await stopped;
  });

  test('that a broken file names are not lost', async () => {
    const file = join(stage.dataDir, 'servers.json');
    const before = await readFile(file, 'utf8');
    await writeFile(file, '{ "mcpServers": ');
    const broken = { code: 'changed', message: expect.stringContaining('Correct it') };
    await expect(stage.page.ask('list-servers', {})).rejects.toMatchObject(broken);
    await expect(stage.page.ask('save-server', { name: 'x', was: null, server: tracker })).rejects.toMatchObject(
      broken,
    );
    expect(await readFile(file, 'utf8')).toBe('{ "mcpServers": ');
    const { chat } = await stage.chat('agent');
    stage.model.reply([{ text: 'Without tools.' }]);
    expect((await stage.answer(chat, 'Hello')).state).toBe('complete');
    await writeFile(file, JSON.stringify({ mcpServers: { odd: { command: 'true', args: 'no list' } } }));
    await stage.page.ask('connect-servers', {});
    const odd = async (): Promise<unknown> => (await stage.page.ask('list-servers', {}))[0];
    await expect
      .poll(odd)
      .toMatchObject({ state: 'failed', error: expect.stringContaining('mcp: odd: args: Invalid input') });
    await writeFile(file, before);
  });
});
