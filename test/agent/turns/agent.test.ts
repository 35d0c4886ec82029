import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { parseRecord } from '@mustard-sandbox/agent-tool';
import { TestPage, partsOf, Stage, textOf } from './support.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
});
beforeEach(async () => {
  stage.page.onQuestion = undefined;
  await stage.page.ask('update-settings', { scripts: { enabled: true, consent: 'ask', timeoutMs: 10_000 } });
});

const log = 'a ok\nb ERROR E1\nc ERROR E2\n'.repeat(1_000);
const script = `search('attachments:server.log', ' ERROR ', { count: true })`;

test('a script over an attachment: asked, run, its card, its record, what the model gets', async () => {
  const { chat } = await stage.chat('agent');
  const upload = await stage.upload(chat, 'server.log', log);
  stage.page.onQuestion = ({ kind, chatId }) => (kind === 'script' && chatId === chat.id ? 'allow-once' : undefined);
  stage.model.reply(
    [{ text: 'I count. ' }, { call: 'execute_sandbox_script', args: { script, description: 'Count' }, pieces: 7 }],
    [{ text: 'There are 2000.' }],
  );
  const message = await stage.answer(chat, 'How many errors?', [upload]);
  expect(message.error).toBeNull();
  expect(message.parts.map(({ type }) => type)).toEqual(['text', 'script', 'text']);
  const [part] = partsOf(message, 'script');
  expect(parseRecord(part!.record)).toMatchObject({ script, runId: part!.runId, result: { text: '2000' } });
  const [question] = await stage.messages(chat);
  expect(question?.attachments).toMatchObject([{ name: 'server.log', bytes: log.length }]);
  const [first, second] = stage.model.requests.slice(-2);
  expect(JSON.stringify(first?.messages)).toContain('attachments:server.log (');
  expect(JSON.stringify(first?.messages)).not.toContain('b ERROR');
  expect(second?.messages.at(-1)).toMatchObject({ role: 'tool', content: '2000' });
  const events = stage.page.of('chat:run').flatMap(({ chatId, event }) => (chatId === chat.id ? [typeOf(event)] : []));
  expect(events.filter((type) => /^(?:card|sandbox\.script)\./.test(type))).toEqual([
    'card.called',
    'sandbox.script.asked',
    'sandbox.script.run',
    'sandbox.script.completed',
    'card.answered',
  ]);
});

test('a file that is in no message is in no scope and in no question, and one of an earlier message is', async () => {
  const { chat } = await stage.chat('agent');
  await stage.upload(chat, 'taken-off.log', 'a secret that was taken off\n');
  const sent = await stage.upload(chat, 'server.log', log);
  const asked: unknown[] = [];
  stage.page.onQuestion = (question) => {
    if (question.kind === 'script' && question.chatId === chat.id) {
      asked.push((question.request as { files: { name: string }[] }).files.map(({ name }) => name));
    }
    return 'allow-once';
  };
  const read = (name: string) => ({
    call: 'execute_sandbox_script',
    args: { script: `read_file('attachments:${name}')` },
  });
  const list = { call: 'execute_sandbox_script', args: { script: `list_files('attachments:')` } };
  stage.model.reply([read('taken-off.log')], [list], [{ text: 'No.' }]);
  await stage.answer(chat, 'Go', [sent]);
  stage.model.reply([{ call: 'execute_sandbox_script', args: { script } }], [{ text: 'Yes.' }]);
  await stage.answer(chat, 'Again');
  expect(asked).toEqual([['server.log'], ['server.log'], ['server.log']]);
  const seen = JSON.stringify(stage.model.requests.slice(-5));
  expect(seen).not.toContain('a secret that was taken off');
  expect(stage.model.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'tool', content: '2000' });
});

test('search and read_file take attachments, as the message says, and only those that were sent', async () => {
  const { chat } = await stage.chat('agent');
  await stage.upload(chat, 'taken-off.log', 'a secret that was taken off\n');
  const upload = await stage.upload(chat, 'server.log', log);
  stage.model.reply(
    [{ call: 'read_file', args: { path: 'attachments:server.log', start: 2, count: 2 } }],
    [{ call: 'search', args: { pattern: 'E1$', glob: 'attachments:server.log' } }],
    [{ call: 'read_file', args: { path: 'attachments:taken-off.log' } }],
    [{ text: 'Read.' }],
  );
  const message = await stage.answer(chat, 'Read it', [upload]);
  const [first, ...others] = stage.model.requests.slice(-4);
  expect(JSON.stringify(first?.messages)).toContain('with read_file / execute_sandbox_script');
  const [lines, found, refused] = others.map(({ messages }) => String(messages.at(-1)?.content));
  expect(lines).toBe('b ERROR E1\nc ERROR E2\n…(more: read on from line 4)');
  expect(found).toMatch(/^attachments:server\.log:2: b ERROR E1\n/);
  expect(refused).toBe('It failed: There is no "attachments:taken-off.log". Attached are "attachments:server.log".');
  expect(partsOf(message, 'tool').map(({ state }) => state)).toEqual(['done', 'done', 'failed']);
  const events = stage.page.of('chat:run').filter(({ chatId }) => chatId === chat.id);
  expect(events.map(({ event }) => typeOf(event))).not.toContain('sandbox.tool.unused_with_attachment');
});

test.each([
  ['ask', 'ask', 'all'],
  ['build', 'ask', 'all'],
  ['agent', 'ask', 'nothing'],
  ['agent', 'never', 'nothing'],
] as const)(
  'in %s with scripts on "%s" the model gets %s of an attached file with the message',
  async (mode, consent, gets) => {
    await stage.page.ask('update-settings', { scripts: { enabled: true, consent, timeoutMs: 10_000 } });
    const { chat } = await stage.chat(mode);
    const upload = await stage.upload(chat, 'server.log', log);
    stage.model.reply([{ text: 'Yes.' }]);
    await stage.answer(chat, 'Read it', [upload]);
    const sent = JSON.stringify(stage.model.requests.at(-1)?.messages);
    expect(sent.split('ERROR E1').length - 1).toBe(gets === 'all' ? 1_000 : 0);
    // Where the person forbids scripts, no larger model would help.
    const hints = stage.page.of('chat:run').filter(({ chatId }) => chatId === chat.id);
    expect(hints.map(({ event }) => typeOf(event))).toEqual(
      mode === 'agent' && consent === 'ask' ? ['sandbox.tool.unused_with_attachment'] : [],
    );
  },
);

test('"Allow always" is kept as a setting, and the next script is not asked about', async () => {
  const { chat } = await stage.chat('agent');
  let asked = 0;
  stage.page.onQuestion = ({ chatId }) => {
    if (chatId !== chat.id) return undefined;
    asked++;
    return 'allow-always';
  };
  const call = { call: 'execute_sandbox_script', args: { script: '6 * 7' } };
  stage.model.reply([call], [call], [{ text: 'Twice 42.' }]);
  const message = await stage.answer(chat, 'Go');
  expect(partsOf(message, 'script')).toHaveLength(2);
  expect(asked).toBe(1);
  expect((await stage.program.services.settings.get()).scripts.consent).toBe('always');
});

test('a question is open in every window, and the first answer holds', async () => {
  const { chat } = await stage.chat('agent');
  const { name } = await stage.program.services.apps.get(chat.appId);
  const other = await TestPage.open(stage.program);
  stage.model.reply([{ call: 'execute_sandbox_script', args: { script: '1' } }], [{ text: 'No.' }]);
  const { messageId } = await stage.send(chat, 'Go');
  const isOurs = ({ question }: { question: { chatId?: string | undefined } }): boolean => question.chatId === chat.id;
  const { question } = await stage.page.until('question:asked', isOurs);
  expect(question.where).toEqual({ app: name, chat: 'Go' });
  await other.until('question:asked', isOurs);
  await other.ask('answer-question', { id: question.id, answer: 'deny' });
  await expect(stage.page.ask('answer-question', { id: question.id, answer: 'allow-once' })).rejects.toMatchObject({
    code: 'changed',
  });
  const message = await stage.page.ended(messageId);
  expect(partsOf(message, 'script')[0]?.record).toMatchObject({ denied: { by: 'user' } });
  expect((await other.ended(messageId)).parts).toEqual(message.parts);
  await other.close();
});

test('an unknown tool and broken arguments are told to the model, which goes on', async () => {
  const { chat } = await stage.chat('agent', { 'a.txt': 'here\n' });
  stage.model.reply(
    [{ call: 'rm_rf', args: { path: '/' } }],
    [{ call: 'search', args: '{"pattern": ' }],
    [{ call: 'search', args: { pattern: 'he(re)' } }],
    [{ text: 'Found.' }],
  );
  const message = await stage.answer(chat, 'Go');
  expect(message.state).toBe('complete');
  expect(partsOf(message, 'tool').map(({ name, state }) => `${name} ${state}`)).toEqual([
    'rm_rf failed',
    'search failed',
    'search done',
  ]);
  expect(stage.model.requests.at(-1)?.messages.at(-1)).toMatchObject({ content: 'a.txt:1: here' });
});

test('names that every object has are no tools', async () => {
  const { chat } = await stage.chat('agent');
  stage.model.reply(
    [
      { call: 'constructor', args: {} },
      { call: '__proto__', args: {} },
      { call: 'toString', args: {} },
    ],
    [{ text: 'None of them.' }],
    [{ text: 'Fine.' }],
  );
  const message = await stage.answer(chat, 'Go');
  expect(textOf(message)).toBe('None of them.');
  expect(partsOf(message, 'tool').map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
  expect((await stage.answer(chat, 'And now?')).state).toBe('complete');
});

test('calls that share an id, in one step and over steps, each have their line and their answer', async () => {
  const { chat } = await stage.chat('agent', { 'a.txt': 'x\n', 'b.txt': 'y\n' });
  stage.model.reply(
    [
      { call: 'read_file', args: { path: 'a.txt' }, id: 'same' },
      { call: 'read_file', args: { path: 'b.txt' }, id: 'same' },
    ],
    [{ call: 'read_file', args: { path: 'a.txt' }, id: 'same' }],
    [{ text: 'Read.' }],
    [{ text: 'Fine.' }],
  );
  const message = await stage.answer(chat, 'Go');
  expect(message.error).toBeNull();
  expect(textOf(message)).toBe('Read.');
  expect(partsOf(message, 'tool').map(({ title, state }) => `${title} ${state}`)).toEqual([
    'Read a.txt done',
    'Read b.txt done',
    'Read a.txt done',
  ]);
  expect((await stage.answer(chat, 'And now?')).state).toBe('complete');
});

test('the tools of files stay in the app and leave out what scripts may not read', async () => {
  const { chat } = await stage.chat('agent', {
    'a.txt': 'x',
    'folder/b.txt': 'y',
    '.env': 'SECRET=1',
    'node_modules/m/i.js': 'SECRET',
  });
  stage.model.reply(
    [
      { call: 'read_file', args: { path: '../../etc/passwd' } },
      { call: 'read_file', args: { path: '.env' } },
      { call: 'read_file', args: { path: 'none.txt' } },
      { call: 'read_file', args: { path: 'folder' } },
      { call: 'search', args: { pattern: 'SECRET' } },
    ],
    [{ text: 'No.' }],
  );
  const message = await stage.answer(chat, 'Go');
  expect(partsOf(message, 'tool').map(({ state }) => state)).toEqual([...Array<string>(4).fill('failed'), 'done']);
  const sent = JSON.stringify(stage.model.requests.at(-1)?.messages);
  // Functions of scripts are no tools.
  expect(sent).not.toMatch(/list_files|read_lines|find_files/);
  expect(sent).not.toMatch(/SECRET=1|root:/);
  expect(sent).toContain('Nothing matches.');
});

test('a file that no script reads is hinted at', async () => {
  const { chat } = await stage.chat('agent');
  const upload = await stage.upload(chat, 'server.log', log);
  stage.model.reply([{ text: 'No idea.' }]);
  await stage.answer(chat, 'How many errors?', [upload]);
  const hint = await stage.page.until(
    'chat:run',
    ({ chatId, event }) => chatId === chat.id && typeOf(event) === 'sandbox.tool.unused_with_attachment',
  );
  expect(hint.event).toMatchObject({ attachments: ['server.log'] });
});

test('the system prompt is the same with and without attachments, and history may mix both kinds', async () => {
  const { chat } = await stage.chat('ask', { 'src/a.ts': 'export const a = 1;\n' });
  const inlined = await stage.upload(chat, 'note.txt', 'inlined words');
  stage.model.reply([{ text: 'Read.' }], [{ text: 'Hm.' }], [{ text: 'On disk.' }], [{ text: 'Both.' }]);
  await stage.answer(chat, 'Read this', [inlined]);
  await stage.answer(chat, 'And without?');
  await stage.page.ask('update-chat', { chatId: chat.id, mode: 'agent' });
  const onDisk = await stage.upload(chat, 'server.log', log);
  await stage.answer(chat, 'And this', [onDisk]);
  await stage.answer(chat, 'And again?');
  const systems = stage.model.requests.slice(-4).map(({ messages }) => messages[0]?.content);
  expect(systems[0]).toEqual(systems[1]);
  expect(systems[2]).toEqual(systems[3]);
  const last = JSON.stringify(stage.model.requests.at(-1)?.messages);
  expect(last).toContain('inlined words');
  expect(last).toContain('attachments:server.log (');
  expect(last).not.toContain('b ERROR');
});

test('a script is run again as a run of its own, and its whole output can be read', async () => {
  const { chat } = await stage.chat('agent');
  stage.page.onQuestion = ({ chatId }) => (chatId === chat.id ? 'allow-once' : undefined);
  stage.model.reply(
    [{ call: 'execute_sandbox_script', args: { script: `'abc '.repeat(50000)` } }],
    [{ text: 'Long.' }],
  );
  const message = await stage.answer(chat, 'Go');
  const { runId } = partsOf(message, 'script')[0]!;
  const { text } = await stage.page.ask('read-output', { chatId: chat.id, runId });
  expect(text).toBe('abc '.repeat(50_000));
  const requests = stage.model.requests.length;
  const rerun = async (of: string): Promise<string> => {
    const { runId: again } = await stage.page.ask('rerun-script', { chatId: chat.id, runId: of });
    await stage.page.until('chat:run', ({ event }) => isOf(event, 'card.answered', again));
    return again;
  };
  const again = await rerun(runId);
  const thirdTime = await rerun(again);
  expect((await stage.messages(chat)).at(-1)?.parts).toEqual(message.parts);
  expect(stage.model.requests.length).toBe(requests);
  // They are there for a page that is loaded later, beneath the run that they repeat.
  const { reruns } = await stage.page.ask('get-chat', { chatId: chat.id });
  expect(reruns).toMatchObject([
    { runId: again, rerunOf: runId, record: { runId: again, result: { truncated: true } } },
    { runId: thirdTime, rerunOf: runId, record: { runId: thirdTime } },
  ]);
  expect(await stage.page.ask('read-output', { chatId: chat.id, runId: thirdTime })).toEqual({ text });
});

test('a script that is run again is in the chat while it waits, and goes when it cannot run', async () => {
  const { chat } = await stage.chat('agent');
  const upload = await stage.upload(chat, 'server.log', log);
  stage.page.onQuestion = ({ chatId }) => (chatId === chat.id ? 'allow-once' : undefined);
  stage.model.reply([{ call: 'execute_sandbox_script', args: { script: '3 + 3' } }], [{ text: 'Six.' }]);
  const { runId } = partsOf(await stage.answer(chat, 'Go', [upload]), 'script')[0]!;
  stage.page.onQuestion = undefined;
  const { runId: waits } = await stage.page.ask('rerun-script', { chatId: chat.id, runId });
  await stage.page.until('chat:run', ({ event }) => isOf(event, 'sandbox.script.asked', waits));
  expect((await stage.page.ask('get-chat', { chatId: chat.id })).reruns).toEqual([
    { runId: waits, rerunOf: runId, record: null },
  ]);
  await stage.page.ask('stop-script', { chatId: chat.id, runId: waits });
  await stage.page.until('chat:run', ({ event }) => isOf(event, 'card.answered', waits));

  const settings = stage.program.services.settings;
  const get = settings.get.bind(settings);
  onTestFinished(() => void (settings.get = get));
  settings.get = async () => Promise.reject(new Error('the settings are gone'));
  const { runId: fails } = await stage.page.ask('rerun-script', { chatId: chat.id, runId });
  await stage.page.until('chat:run', ({ event }) => isOf(event, 'card.gone', fails));
  await stage.page.until('notice', ({ text }) => text === 'The script could not be run again: the settings are gone');
  settings.get = get;
  const { reruns } = await stage.page.ask('get-chat', { chatId: chat.id });
  expect(reruns.map(({ runId }) => runId)).toEqual([waits]);
});

test('the engine of the settings is the one that runs, and the card names it', async () => {
  const { chat } = await stage.chat('agent');
  const engineOf = async (
    engine: 'auto' | 'quickjs' | 'mustardscript',
    script: string,
  ): Promise<string | undefined> => {
    const scripts = { enabled: true, consent: 'always', timeoutMs: 10_000, engine } as const;
    await stage.page.ask('update-settings', { scripts });
    stage.model.reply([{ call: 'execute_sandbox_script', args: { script } }], [{ text: 'Two.' }]);
    return parseRecord(partsOf(await stage.answer(chat, 'Go'), 'script')[0]!.record).engine;
  };
  const [straight, loop] = ['1 + 1', 'let n = 0; for (let i = 0; i < 2; i++) n += 1; n'];
  expect([await engineOf('auto', straight), await engineOf('auto', loop)]).toEqual(['mustardscript', 'quickjs']);
  expect(await engineOf('quickjs', straight)).toBe('quickjs');
  expect(await engineOf('mustardscript', loop)).toBe('mustardscript');
});

test('what a person forbade is no fault of the model: no hint of a larger one', async () => {
  const hintsOf = (chatId: string): number =>
    stage.page
      .of('chat:run')
      .filter(({ chatId: id, event }) => id === chatId && typeOf(event) === 'sandbox.tool.unused_with_attachment')
      .length;
  const { scripts } = (await stage.page.ask('get-state', {})).settings;
  onTestFinished(async () => void (await stage.page.ask('update-settings', { scripts })));
  for (const forbidden of ['once', 'always'] as const) {
    const { chat } = await stage.chat('agent');
    const consent = forbidden === 'always' ? 'never' : 'ask';
    await stage.page.ask('update-settings', { scripts: { ...scripts, consent } });
    stage.page.onQuestion = ({ chatId }) => (chatId === chat.id ? 'deny' : undefined);
    const upload = await stage.upload(chat, 'server.log', log);
    stage.model.reply(...(forbidden === 'once' ? [[{ call: 'execute_sandbox_script', args: { script: '1' } }]] : []), [
      { text: 'No idea.' },
    ]);
    await stage.answer(chat, 'How many errors?', [upload]);
    expect(hintsOf(chat.id)).toBe(0);
  }
});

test('a script that is run again is stopped by its person, and by the end of its chat', async () => {
  const { chat } = await stage.chat('agent');
  stage.model.reply([{ call: 'execute_sandbox_script', args: { script: '1 + 1' } }], [{ text: 'Two.' }]);
  stage.page.onQuestion = ({ chatId }) => (chatId === chat.id ? 'allow-once' : undefined);
  const { runId } = partsOf(await stage.answer(chat, 'Go'), 'script')[0]!;
  stage.page.onQuestion = undefined;
  const rerun = async (before: string[]): Promise<string> => {
    await stage.page.ask('rerun-script', { chatId: chat.id, runId });
    const { question } = await stage.page.until(
      'question:asked',
      ({ question }) => question.chatId === chat.id && !before.includes(question.id),
    );
    return question.id;
  };
  const asked = stage.page.of('question:asked').map(({ question }) => question.id);
  const first = await rerun(asked);
  const again = stage.page
    .of('chat:run')
    .map(({ event }) => event as { rerunOf?: string; runId: string })
    .findLast(({ rerunOf }) => rerunOf === runId)!.runId;
  await stage.page.ask('stop-script', { chatId: 'another', runId: again });
  await stage.page.ask('stop-script', { chatId: chat.id, runId: again });
  await stage.page.until('question:closed', ({ id }) => id === first);
  await stage.page.until(
    'chat:run',
    ({ event }) => typeOf(event) === 'card.answered' && (event as { runId: string }).runId === again,
  );
  const second = await rerun([...asked, first]);
  await stage.page.ask('delete-chat', { chatId: chat.id });
  expect(await stage.page.until('question:closed', ({ id }) => id === second)).toEqual({ id: second });
});

test('a script that is run again while its chat is deleted leaves no question open', async () => {
  const { chat } = await stage.chat('agent');
  stage.model.reply([{ call: 'execute_sandbox_script', args: { script: '2 + 2' } }], [{ text: 'Four.' }]);
  stage.page.onQuestion = ({ chatId }) => (chatId === chat.id ? 'allow-once' : undefined);
  const { runId } = partsOf(await stage.answer(chat, 'Go'), 'script')[0]!;
  stage.page.onQuestion = undefined;
  const asked = (): string[] =>
    stage.page.of('question:asked').flatMap(({ question }) => (question.chatId === chat.id ? [question.id] : []));
  const begun = stage.page.ask('rerun-script', { chatId: chat.id, runId }).catch(() => undefined);
  await Promise.all([begun, stage.page.ask('delete-chat', { chatId: chat.id })]);
  const closed = (): string[] => stage.page.of('question:closed').map(({ id }) => id);
  await expect.poll(() => asked().filter((id) => !closed().includes(id))).toEqual([]);
});

test('the model stops after 20 steps and says so', async () => {
  const { chat } = await stage.chat('agent', { 'a.txt': 'x\n' });
  stage.model.reply(...Array.from({ length: 25 }, () => [{ call: 'search', args: { pattern: 'x' } }] as const));
  const message = await stage.answer(chat, 'Go');
  expect(partsOf(message, 'tool')).toHaveLength(20);
  expect(textOf(message)).toContain('Stopped after 20 steps');
  stage.model.clear();
});

test('a script whose files cannot be reached is told to the model, and no card waits for it', async () => {
  const { chat } = await stage.chat('agent');
  const { uploads } = stage.program.services;
  const original = uploads.storeOf.bind(uploads);
  uploads.storeOf = async (chatId) => {
    const store = await original(chatId);
    store.list = async () => await Promise.reject(Object.assign(new Error('The folder is gone.'), { code: 'ENOENT' }));
    return store;
  };
  stage.model.reply([{ call: 'execute_sandbox_script', args: { script: '1' } }], [{ text: 'It failed.' }]);
  const message = await stage.answer(chat, 'Go');
  uploads.storeOf = original;
  expect(partsOf(message, 'tool')).toMatchObject([{ name: 'script', state: 'failed', detail: 'The folder is gone.' }]);
  expect(textOf(message)).toBe('It failed.');
});

function isOf(event: unknown, type: string, runId: string): boolean {
  return typeOf(event) === type && (event as { runId?: string }).runId === runId;
}

function typeOf(event: unknown): string {
  return (event as { type: string }).type;
}
