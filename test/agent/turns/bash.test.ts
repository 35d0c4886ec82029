import { beforeAll, expect, test } from 'vitest';
import { partsOf, Stage } from './support.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start({ turns: { bash: { backend: 'memory', env: { MUSTARD_ENABLE_BASH_TOOL: '1' } } } });
  await stage.page.ask('update-settings', { bash: true });
});

interface CommandRun {
  command: string;
  exitCode: number;
  stdout: { text: string };
}

test('a command is asked about, runs in a copy of the app, and has its card', async () => {
  const { chat } = await stage.chat('agent', { 'a.txt': 'one\n' });
  const asked: string[] = [];
  stage.page.onQuestion = (question) => {
    if (question.kind === 'command') asked.push(question.command);
    return 'allow-once';
  };
  stage.model.reply(
    [{ call: 'bash', args: { command: 'cat a.txt; echo two > a.txt' } }],
    [
      { call: 'bash', args: { command: 'cat a.txt' } },
      { call: 'read_workspace_file', args: { path: 'a.txt' } },
    ],
    [{ call: 'read_file', args: { path: 'a.txt' } }],
    [{ text: 'Done.' }],
  );
  const message = await stage.answer(chat, 'Go');
  expect(message.error).toBeNull();
  expect(asked).toEqual(['cat a.txt; echo two > a.txt', 'cat a.txt']);
  const runs = partsOf(message, 'bash').map(({ run }) => run as CommandRun);
  expect(runs.map(({ exitCode, stdout }) => `${exitCode} ${stdout.text.trim()}`)).toEqual(['0 one', '0 two']);
  // The app is as it was.
  expect(stage.model.requests.at(-1)?.messages.at(-1)).toMatchObject({ content: 'one' });
  const system = JSON.stringify(stage.model.requests.at(-1)?.messages[0]);
  expect(system).toContain('isolated workspace');
  // Names that differ by a hyphen or a capital letter are mistaken for each other.
  const names = stage.model.requests.at(-1)?.tools?.map(({ function: { name } }) => name) ?? [];
  expect(names).toEqual(expect.arrayContaining(['read_file', 'read_workspace_file', 'write_workspace_file']));
  expect(new Set(names.map((name) => name.toLowerCase().replaceAll('_', ''))).size).toBe(names.length);
  expect(system).toContain('bash, read_workspace_file and write_workspace_file');
});

test('"run: `…`" has the model call bash, and runs that command whatever the model made of it', async () => {
  const { chat } = await stage.chat('agent');
  stage.page.onQuestion = () => 'allow-once';
  stage.model.reply([{ call: 'bash', args: { command: 'rm -rf /' } }], [{ text: 'Done.' }]);
  const message = await stage.answer(chat, 'run: `echo exactly this`');
  expect(stage.model.requests.at(-2)?.tool_choice).toEqual({ type: 'function', function: { name: 'bash' } });
  expect(stage.model.requests.at(-1)?.tool_choice).not.toEqual({ type: 'function', function: { name: 'bash' } });
  expect(partsOf(message, 'bash')[0]?.run).toMatchObject({ command: 'echo exactly this', exitCode: 0 });
});

test('the workspace stays for the chat until it is reset', async () => {
  const { chat } = await stage.chat('agent', { 'a.txt': 'one\n' });
  stage.page.onQuestion = () => 'allow-once';
  const run = async (command: string): Promise<string> => {
    stage.model.reply([{ call: 'bash', args: { command } }], [{ text: 'Done.' }]);
    return (partsOf(await stage.answer(chat, 'Go'), 'bash')[0]!.run as CommandRun).stdout.text.trim();
  };
  await run('echo kept > new.txt');
  expect(await run('cat new.txt')).toBe('kept');
  await stage.page.ask('reset-workspace', { chatId: chat.id });
  expect(await run('ls')).toBe('a.txt');
});

test('without the setting there is no bash, whatever the model calls', async () => {
  await stage.page.ask('update-settings', { bash: false });
  const { chat } = await stage.chat('agent');
  stage.model.reply([{ call: 'bash', args: { command: 'echo no' } }], [{ text: 'Done.' }]);
  const message = await stage.answer(chat, 'run: `echo no`');
  expect(partsOf(message, 'bash')).toEqual([]);
  expect(partsOf(message, 'tool')).toMatchObject([{ name: 'bash', state: 'failed' }]);
  expect(stage.model.requests.at(-1)?.tools?.map(({ function: { name } }) => name)).not.toContain('bash');
});

test('"Always in this chat" holds for that very command, in the answers after it, too', async () => {
  await stage.page.ask('update-settings', { bash: true });
  const { chat } = await stage.chat('agent');
  const asked: string[] = [];
  stage.page.onQuestion = (question) => {
    if (question.kind === 'command') asked.push(question.command);
    return 'allow-always';
  };
  for (const command of ['echo one', 'echo one', 'echo one; echo two']) {
    stage.model.reply([{ call: 'bash', args: { command } }], [{ text: 'Done.' }]);
    await stage.answer(chat, 'Go');
  }
  expect(asked).toEqual(['echo one', 'echo one; echo two']);
});

test('Stop ends a command, and its card says so', async () => {
  const { chat } = await stage.chat('agent');
  stage.page.onQuestion = () => 'allow-once';
  stage.model.reply([{ call: 'bash', args: { command: 'sleep 600' } }], [{ text: 'Again.' }]);
  const { messageId } = await stage.send(chat, 'Go');
  await stage.page.until('chat:response:part', ({ messageId: id, part }) => id === messageId && part.type === 'bash');
  await stage.page.ask('chat:cancel', { chatId: chat.id });
  expect((await stage.page.ended(messageId)).state).toBe('cancelled');
  await expect
    .poll(async () => partsOf((await stage.messages(chat))[1]!, 'bash')[0]?.run)
    .toMatchObject({ command: 'sleep 600', stopped: true, stderr: { text: '' } });
  expect((await stage.answer(chat, 'Again')).state).toBe('complete');
});

test('a file of the workspace that runs by itself is asked about, with the reason, and each time', async () => {
  await stage.page.ask('update-settings', { bash: true });
  const { chat } = await stage.chat('agent', { 'AGENTS.md': 'Be careful.\n' });
  const asked: string[] = [];
  stage.page.onQuestion = (question) => {
    if (question.kind !== 'write') return 'allow-once';
    asked.push(`${question.into} ${question.title}: ${question.files[0]?.runs} (${question.files[0]?.change})`);
    return asked.length === 1 ? 'deny' : 'allow-once';
  };
  const writing = (path: string) => ({ call: 'write_workspace_file', args: { path, content: 'x' } });
  stage.model.reply(
    [writing('a.txt'), writing('AGENTS.md')],
    [writing('AGENTS.md')],
    [{ call: 'read_workspace_file', args: { path: 'AGENTS.md' } }],
    [{ text: 'Done.' }],
  );
  const message = await stage.answer(chat, 'Go');
  const states = partsOf(message, 'tool').map(({ title, state }) => `${title}: ${state}`);
  expect(states.slice(0, 3)).toEqual([
    'Write a.txt of the workspace: done',
    'Write AGENTS.md of the workspace: failed',
    'Write AGENTS.md of the workspace: done',
  ]);
  const question = 'workspace Write AGENTS.md of the workspace: it tells an AI model what to do (changed)';
  expect(asked).toEqual([question, question]);
  expect(stage.model.requests.at(-1)?.messages.at(-1)).toMatchObject({
    content: expect.stringContaining('x') as string,
  });
});
