import { beforeAll, expect, test } from 'vitest';
import type { Chat } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import { typedApp } from '../checks/support.ts';
import { Stage, textOf } from './support.ts';

let stage: Stage;
let appId: string;
beforeAll(async () => {
  stage = await Stage.start({ turns: { checkMs: 600_000 } });
  // One for all: nothing is ever applied to it.
  const appPath = typedApp('native', {
    // With the smallest library: the types of the browser take the compiler longer than all that is looked at here.
    'tsconfig.json': JSON.stringify({
      compilerOptions: { strict: true, noEmit: true, types: [], lib: ['es5'], skipLibCheck: true },
      include: ['src'],
    }),
    'src/a.ts': 'export const a: number = 1;\n',
  });
  appId = await stage.program.addFolder(appPath);
  await stage.page.ask('check-problems', { appId, allowUnjailed: 'everything' });
});

async function typedChat(): Promise<Chat> {
  const { id: chatId } = await stage.page.ask('create-chat', { appId, mode: 'build' });
  return await stage.page.ask('update-chat', { chatId, model: stage.model.modelId });
}

const write = (content: string): string => `<agent-write path="src/a.ts" description="">\n${content}</agent-write>\n`;
const broken = write('export const a: number = "one";\nexport const b: number = "two";\n');

test('problems of what is proposed stand in the proposal, and nothing goes back to the model by itself', async () => {
  await stage.page.ask('update-settings', { autoFix: false });
  const chat = await typedChat();
  stage.model.reply([{ text: broken }]);
  const requests = stage.model.requests.length;
  const message = await stage.answer(chat, 'Change it');
  expect(message.proposal?.problems).toMatchObject([
    { path: 'src/a.ts', line: 1, code: 'TS2322' },
    { path: 'src/a.ts', line: 2, code: 'TS2322' },
  ]);
  expect(stage.model.requests.length).toBe(requests + 1);
});

test('with auto-fix they go back until they are gone, with the files as proposed', async () => {
  await stage.page.ask('update-settings', { autoFix: true });
  const chat = await typedChat();
  stage.model.reply(
    [{ text: broken }],
    [{ text: write('export const a: number = 1;\nexport const b: number = "two";\n') }],
    [{ text: write('export const a: number = 1;\nexport const b: number = 2;\n') }],
  );
  const requests = stage.model.requests.length;
  const message = await stage.answer(chat, 'Change it');
  expect(message.proposal).toMatchObject({ state: 'pending', problems: [] });
  expect(message.proposal?.files[0]?.hunks[0]?.lines.map(({ text }) => text)).toContain('export const b: number = 2;');
  const second = stage.model.requests[requests + 1]!;
  expect(JSON.stringify(second.messages.at(-1))).toContain('src/a.ts:1:14 TS2322');
  expect(second.messages[0]?.content).toContain('export const b: number = "two";');
  expect(stage.model.requests.length).toBe(requests + 3);
});

test('it stops when they do not shrink, and what was better stays proposed', async () => {
  await stage.page.ask('update-settings', { autoFix: true });
  const chat = await typedChat();
  stage.model.reply(
    [{ text: broken }],
    [{ text: write(`export const a: number = 'x';\nexport const c: number = 'y';\n`) }],
  );
  const requests = stage.model.requests.length;
  const message = await stage.answer(chat, 'Change it');
  expect(stage.model.requests.length).toBe(requests + 2);
  expect(message.proposal?.problems).toHaveLength(2);
  expect(message.proposal?.files[0]?.hunks[0]?.lines.map(({ text }) => text)).toContain(
    'export const b: number = "two";',
  );
  expect(textOf(message)).toContain('That did not help');
});

test('nothing goes back while a dependency is to be installed, and a failing model loses no proposal', async () => {
  await stage.page.ask('update-settings', { autoFix: true });
  const chat = await typedChat();
  stage.model.reply([{ text: `${broken}<agent-add-dependency packages="zod"></agent-add-dependency>` }]);
  const requests = stage.model.requests.length;
  expect((await stage.answer(chat, 'Change it')).proposal?.problems).toHaveLength(2);
  expect(stage.model.requests.length).toBe(requests + 1);
  stage.model.reply([{ text: broken }], { status: 401 });
  const message = await stage.answer(chat, 'Again');
  expect(message.state).toBe('complete');
  expect(message.proposal?.state).toBe('pending');
  expect(textOf(message)).toMatch(/could not be given back.*does not accept the key/);
});
