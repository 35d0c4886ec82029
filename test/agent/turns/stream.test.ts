import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, expect, test } from 'vitest';
import { assemble, partsOf, Stage, TestPage, textOf } from './support.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
});

test('a page that opens in the middle gets what there is, and goes on by offsets', async () => {
  const { chat } = await stage.chat('ask');
  const words = Array.from({ length: 50 }, (_, index) => ({ text: `word${index} ` }));
  stage.model.reply([...words.slice(0, 25), { wait: 'reload' }, ...words.slice(25)]);
  const { messageId } = await stage.send(chat, 'Tell me');
  await expect.poll(() => [...assemble(stage.page, messageId).values()].join('')).toContain('word24');
  const other = await TestPage.open(stage.program);
  const { chat: seen, messages } = await other.ask('get-chat', { chatId: chat.id });
  expect(seen.streaming).toBe(true);
  const before = textOf(messages[1]!);
  expect(messages[1]?.state).toBe('streaming');
  stage.model.release('reload');
  const message = await other.ended(messageId);
  const whole = words.map(({ text }) => text).join('');
  expect(textOf(message)).toBe(whole);
  // The page that was there all the time, and the one that came: the same.
  expect([...assemble(stage.page, messageId).values()].join('')).toBe(whole);
  let text = before;
  for (const chunk of other.of('chat:response:chunk')) {
    if (chunk.messageId !== messageId) continue;
    // What was sent while the chat was asked for is there already.
    if (chunk.offset + chunk.text.length <= text.length) continue;
    expect(chunk.offset).toBe(text.length);
    text += chunk.text;
  }
  expect(text).toBe(whole);
  await other.close();
});

test('an answer is written at most ten times a second, and at its end as a whole', async () => {
  const { chat } = await stage.chat('ask');
  const { chats } = stage.program.services;
  const original = chats.updateMessage.bind(chats);
  const writes = new Map<string, number>();
  let writing = 0;
  let together = 0;
  chats.updateMessage = async (id, change) => {
    if (change.parts === undefined) return await original(id, change);
    writes.set(id, (writes.get(id) ?? 0) + 1);
    together = Math.max(together, ++writing);
    await original(id, change);
    writing--;
  };
  // More than a second of words.
  const words = Array.from({ length: 3_000 }, (_, index) => ({ text: `${index} ` }));
  stage.model.reply(words);
  const startedAt = performance.now();
  const message = await stage.answer(chat, 'Count');
  const seconds = (performance.now() - startedAt) / 1_000;
  chats.updateMessage = original;
  expect(together).toBe(1);
  // And the one at its end.
  expect(writes.get(message.id)).toBeLessThanOrEqual(Math.ceil(seconds * 10) + 1);
  expect(textOf(message)).toBe(words.map(({ text }) => text).join(''));
});

test('an answer that cannot be saved is told once, goes on, and is saved when that is possible again', async () => {
  const { chat } = await stage.chat('ask');
  const { chats } = stage.program.services;
  const original = chats.updateMessage.bind(chats);
  let refused = 0;
  chats.updateMessage = async (id, change) => {
    if (change.parts === undefined || change.state !== 'streaming') return await original(id, change);
    refused++;
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  };
  stage.model.reply([{ text: 'First ' }, { wait: 'refused' }, { text: 'and last.' }]);
  const { messageId } = await stage.send(chat, 'Tell me');
  await expect.poll(() => refused).toBeGreaterThan(0);
  stage.model.release('refused');
  const message = await stage.page.ended(messageId);
  chats.updateMessage = original;
  expect(textOf(message)).toBe('First and last.');
  expect((await stage.messages(chat))[1]).toEqual(message);
  expect(stage.page.of('notice').filter(({ id }) => id === messageId)).toMatchObject([{ kind: 'error' }]);
});

test('a sidecar that is killed in the middle of an answer is told to the model, which goes on', async () => {
  const { chat } = await stage.chat('agent');
  await stage.page.ask('update-settings', { scripts: { enabled: true, consent: 'always', timeoutMs: 10_000 } });
  const endless = 'let n = 0; while (true) n++;';
  stage.model.reply(
    // So that there is a sidecar when the second one comes.
    [{ call: 'execute_sandbox_script', args: { script: '1' } }],
    [{ call: 'execute_sandbox_script', args: { script: endless } }],
    [{ call: 'execute_sandbox_script', args: { script: '6 * 7' } }],
    [{ text: 'It crashed, then it was 42.' }],
  );
  const { messageId } = await stage.send(chat, 'Go');
  await stage.page.until(
    'chat:run',
    ({ chatId, event }) => chatId === chat.id && (event as { script?: string }).script === endless,
  );
  await stage.page.until(
    'chat:run',
    () => stage.page.of('chat:run').filter(({ chatId, event }) => chatId === chat.id && isRun(event)).length === 2,
  );
  await killSidecars();
  const message = await stage.page.ended(messageId);
  expect(message.state).toBe('complete');
  const [, first, second] = partsOf(message, 'script').map(({ record }) => record);
  // Killed before it had the script, it is replaced, and the script runs into its time.
  expect(first).toMatchObject({ error: { code: expect.stringMatching(/sidecar_crashed|timeout/) as unknown } });
  expect(second).toMatchObject({ result: { text: '42' } });
});

function isRun(event: unknown): boolean {
  return (event as { type: string }).type === 'sandbox.script.run';
}

/** Those below this process; that of another test file is not touched. */
async function killSidecars(): Promise<void> {
  for (let killed = 0; killed === 0;) {
    for (const { pid, command } of await descendants(process.pid)) {
      if (!command.includes('sandbox-daemon')) continue;
      try {
        process.kill(pid, 'SIGKILL');
        killed++;
      } catch (error) {
        // It ended after it was listed.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }
}

async function descendants(of: number): Promise<{ pid: number; command: string }[]> {
  const ps = spawn('ps', ['-eo', 'pid=,ppid=,args='], { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  ps.stdout.on('data', (data: Buffer) => (text += data.toString()));
  await once(ps, 'close');
  const all = text.split('\n').flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command: command ?? '' }];
  });
  const below = (parent: number): typeof all =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)]);
  return below(of);
}
