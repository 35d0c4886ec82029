// What a person can do with the files that commands of a chat made.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Chat, Message } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import { partsOf, Stage } from '../turns/support.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start({ turns: { bash: { backend: 'memory', env: { MUSTARD_ENABLE_BASH_TOOL: '1' } } } });
  await stage.page.ask('update-settings', { bash: true });
  stage.page.onQuestion = () => 'allow-once';
});

/** A chat whose model ran one command in its workspace. */
async function chatAfter(command: string, files: Record<string, string>): Promise<{ chat: Chat; appPath: string }> {
  const { chat, appPath } = await stage.chat('agent', files);
  stage.model.reply([{ call: 'bash', args: { command } }], [{ text: 'Done.' }]);
  await stage.answer(chat, 'Go');
  return { chat, appPath };
}

async function folderOf(chat: Chat): Promise<string> {
  const id = await stage.program.services.chats.getWorkspace(chat.id);
  return join(stage.dataDir, 'workspaces', id as string, 'files');
}

const takeOver = (chat: Chat): Promise<Message> => stage.page.ask('take-over-workspace', { chatId: chat.id });
const list = (chat: Chat) => stage.page.ask('list-workspace-files', { chatId: chat.id });
const read = (chat: Chat, path: string) => stage.page.ask('read-workspace-file', { chatId: chat.id, path });

test('its files are listed and shown, those that git ignores too', async () => {
  const { chat } = await chatAfter('mkdir dist; echo built > dist/out.txt', {
    '.gitignore': 'dist\n',
    'a.txt': 'one\n',
  });
  const { exists, files, truncated } = await list(chat);
  expect({ exists, truncated }).toEqual({ exists: true, truncated: false });
  expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(['a.txt', 'dist/out.txt']));
  expect(await read(chat, 'dist/out.txt')).toEqual({ content: 'built\n', bytes: 6, cut: false, binary: false });
});

test('a text of more than a megabyte is cut at a whole character, and what is no text is not shown', async () => {
  const { chat } = await chatAfter('true', { 'a.txt': 'one\n' });
  const folder = await folderOf(chat);
  writeFileSync(join(folder, 'big.txt'), 'x' + 'é'.repeat(1024 * 1024));
  writeFileSync(join(folder, 'image.png'), Buffer.from([0x89, 0x50, 0, 1]));
  const big = await read(chat, 'big.txt');
  expect(big).toMatchObject({ bytes: 2 * 1024 * 1024 + 1, cut: true, binary: false });
  expect(big.content).toMatch(/^xé+$/);
  expect(await read(chat, 'image.png')).toEqual({ content: '', bytes: 4, cut: false, binary: true });
});

test('there is none before the first command, and none after it is reset', async () => {
  const { chat } = await stage.chat('agent', { 'a.txt': 'one\n' });
  expect(await list(chat)).toEqual({ exists: false, files: [], truncated: false });
  await expect(read(chat, 'a.txt')).rejects.toMatchObject({ code: 'not_found' });
  await expect(takeOver(chat)).rejects.toMatchObject({ code: 'not_found' });
  const used = await chatAfter('true', { 'a.txt': 'one\n' });
  await stage.page.ask('reset-workspace', { chatId: used.chat.id });
  expect((await list(used.chat)).exists).toBe(false);
});

test('changes are taken over as a proposal, of which nothing is done before it is approved', async () => {
  const { chat, appPath } = await chatAfter('echo two > a.txt; rm gone.txt; mkdir -p src; echo new > src/new.txt', {
    'a.txt': 'one\n',
    'gone.txt': 'x\n',
    'same.txt': 'same\n',
  });
  await stage.page.ask('init-git', { appId: chat.appId });
  const { id: messageId, proposal } = await takeOver(chat);
  expect(proposal?.state).toBe('pending');
  expect(proposal?.files.map(({ path, change }) => [path, change]).toSorted()).toEqual([
    ['a.txt', 'changed'],
    ['gone.txt', 'deleted'],
    ['src/new.txt', 'added'],
  ]);
  expect(readFileSync(join(appPath, 'a.txt'), 'utf8')).toBe('one\n');

  const approved = await stage.page.ask('approve-proposal', { chatId: chat.id, messageId });
  expect(approved.proposal).toMatchObject({ state: 'approved' });
  expect(readFileSync(join(appPath, 'a.txt'), 'utf8')).toBe('two\n');
  expect(existsSync(join(appPath, 'gone.txt'))).toBe(false);
  expect(execFileSync('git', ['status', '--porcelain'], { cwd: appPath, encoding: 'utf8' })).toBe('');
  await expect(takeOver(chat)).rejects.toMatchObject({ code: 'not_found' });
});

test('what changed in the app meanwhile is left out, and so is what is no text', async () => {
  const { chat, appPath } = await chatAfter('echo theirs > a.txt; echo theirs > b.txt', {
    'a.txt': 'one\n',
    'b.txt': 'b\n',
  });
  writeFileSync(join(appPath, 'a.txt'), 'mine\n');
  writeFileSync(join(appPath, 'only-here.txt'), 'not in the workspace\n');
  writeFileSync(join(await folderOf(chat), 'image.png'), Buffer.from([0x89, 0x50, 0, 1]));
  const { proposal, parts } = await takeOver(chat);
  expect(proposal?.files.map(({ path }) => path)).toEqual(['b.txt']);
  const text = JSON.stringify(parts);
  expect(text).toContain('a.txt changed in the app, too');
  expect(text).toContain('image.png is not a text file');
});

test('what is only hidden from a look is not taken for deleted', async () => {
  const { chat } = await chatAfter('echo src >> .gitignore; echo new > b.txt', {
    'src/kept.txt': 'kept\n',
    'large.txt': 'small\n',
    'linked.txt': 'a file\n',
  });
  const folder = await folderOf(chat);
  writeFileSync(join(folder, 'large.txt'), 'x'.repeat(6 * 1024 * 1024));
  unlinkSync(join(folder, 'linked.txt'));
  symlinkSync('b.txt', join(folder, 'linked.txt'));
  const { proposal, parts } = await takeOver(chat);
  expect(proposal?.files.map(({ path, change }) => `${change} ${path}`)).toEqual(['added .gitignore', 'added b.txt']);
  for (const path of ['src/kept.txt', 'large.txt', 'linked.txt'])
    expect(JSON.stringify(parts)).toContain(`${path} is `);
});

test('a command can lead nobody out of its workspace', async () => {
  const { chat } = await chatAfter('true', { 'a.txt': 'one\n' });
  const folder = await folderOf(chat);
  symlinkSync('/etc/hostname', join(folder, 'link.txt'));
  symlinkSync('/etc', join(folder, 'linked'));
  writeFileSync(join(folder, '.env'), 'SECRET=1\n');
  for (const path of ['link.txt', 'linked/hostname', '../workspace.json', '/etc/hostname', 'a.txt\0']) {
    await expect(read(chat, path)).rejects.toMatchObject({
      code: expect.stringMatching(/unsafe_path|not_found/) as string,
    });
  }
  expect((await list(chat)).files.map(({ path }) => path)).not.toContain('link.txt');
  // A secret that a command made is not taken over, nor is what a link leads to.
  await expect(takeOver(chat)).rejects.toMatchObject({ code: 'not_found' });
});

test('a file is downloaded by the token only, and never shown by the browser', async () => {
  const { chat } = await chatAfter('echo "<script>alert(1)</script>" > page.html', { 'a.txt': 'one\n' });
  const { origin, hash } = new URL(stage.program.url);
  const token = new URLSearchParams(hash.slice(1)).get('token') ?? '';
  const get = async (path: string, headers: Record<string, string>, chatId = chat.id): Promise<Response> =>
    await fetch(`${origin}/workspace?${new URLSearchParams({ chat: chatId, path }).toString()}`, { headers });
  expect((await get('page.html', {})).status).toBe(401);
  expect((await get('page.html', { authorization: 'Bearer wrong' })).status).toBe(401);
  const own = { authorization: `Bearer ${token}` };
  expect((await get('page.html', { ...own, origin: 'http://evil.example' })).status).toBe(403);
  expect((await get('nowhere.txt', own)).status).toBe(404);
  expect((await get('../workspace.json', own)).status).toBe(400);
  expect((await get('page.html', own, 'no-chat')).status).toBe(404);
  const response = await get('page.html', own);
  expect(await response.text()).toBe('<script>alert(1)</script>\n');
  expect(response.headers.get('content-disposition')).toBe('attachment');
  expect(response.headers.get('content-type')).toBe('application/octet-stream');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
});

test('scripts read what commands made, and are run again there', async () => {
  const { chat } = await stage.chat('agent', { 'a.txt': 'one\n' });
  const script = `search('dist/*.txt', 'built', { count: true })`;
  stage.model.reply(
    [{ call: 'bash', args: { command: 'mkdir dist; echo built > dist/out.txt; echo built >> dist/out.txt' } }],
    [{ call: 'execute_workspace_script', args: { script } }],
    [{ text: 'Done.' }],
  );
  const message = await stage.answer(chat, 'Go');
  const [part] = partsOf(message, 'script');
  expect(part).toMatchObject({ root: 'workspace', record: { result: { text: '2' } } });

  const runId = part?.runId as string;
  await stage.page.ask('rerun-script', { chatId: chat.id, runId });
  const again = await stage.page.until('chat:run', ({ event }) => {
    const { type, runId: of } = event as { type: string; runId?: string };
    return type === 'card.answered' && of !== runId;
  });
  expect(again.event).toMatchObject({ record: { result: { text: '2' } } });
  await stage.page.ask('reset-workspace', { chatId: chat.id });
  await expect(stage.page.ask('rerun-script', { chatId: chat.id, runId })).rejects.toMatchObject({ code: 'not_found' });
});

test('what is taken over and runs by itself says so, and takes no secret along', async () => {
  await stage.page.ask('update-settings', { autoApprove: true });
  const { chat, appPath } = await chatAfter(
    'mkdir .vscode .git; echo "{}" > .vscode/tasks.json; echo x > b.txt; echo x > .npmrc; echo x > .git/config',
    { 'a.txt': 'one\n' },
  );
  const { proposal } = await takeOver(chat);
  await stage.page.ask('update-settings', { autoApprove: false });
  expect(proposal?.state).toBe('pending');
  expect(proposal?.files.map(({ path, runs }) => [path, runs])).toEqual([
    ['.vscode/tasks.json', 'an editor runs what it names when the project is opened'],
    ['b.txt', undefined],
  ]);
  expect(existsSync(join(appPath, 'b.txt'))).toBe(false);
});

test('it follows the app, keeps what commands made, and names what both changed', async () => {
  const { chat, appPath } = await chatAfter(
    'echo made > made.txt; echo command > both.txt; rm removed.txt; rm -r dir; echo file > dir',
    {
      'dir/inner.txt': 'inner\n',
      'fix.txt': 'bug\n',
      'both.txt': 'one\n',
      'gone.txt': 'x\n',
      'removed.txt': 'x\n',
      'same.txt': 'same\n',
    },
  );
  writeFileSync(join(appPath, 'fix.txt'), 'fixed\n');
  writeFileSync(join(appPath, 'both.txt'), 'app\n');
  writeFileSync(join(appPath, 'new.txt'), 'new\n');
  writeFileSync(join(appPath, '.env.local'), 'TOKEN=1\n');
  writeFileSync(join(appPath, 'dir/inner.txt'), 'changed\n');
  unlinkSync(join(appPath, 'gone.txt'));
  const command = 'cat fix.txt both.txt made.txt new.txt same.txt; ls -A | sort | tr "\\n" " "';
  stage.model.reply([{ call: 'bash', args: { command } }], [{ text: 'Done.' }]);
  const message = await stage.answer(chat, 'Go on');
  const parts = JSON.stringify(message);
  expect(parts).toContain('fixed\\ncommand\\nmade\\nnew\\nsame');
  expect(parts).toContain('both changed `both.txt`, `dir/inner.txt`');
  const { files } = await list(chat);
  const names = files.map(({ path }) => path).filter((path) => !path.startsWith('.mustard'));
  expect(names).toEqual(['both.txt', 'dir', 'fix.txt', 'made.txt', 'new.txt', 'same.txt']);
  // Only what commands made is theirs to take over.
  unlinkSync(join(await folderOf(chat), 'dir'));
  await stage.page.ask('init-git', { appId: chat.appId });
  const { proposal } = await takeOver(chat);
  expect(proposal?.files.map(({ path }) => path).toSorted()).toEqual(['made.txt', 'removed.txt']);
});
