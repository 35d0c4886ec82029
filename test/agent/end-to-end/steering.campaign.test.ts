// Several servers, a queue and a summary: the real program and a browser.
import { expect, test, describe } from 'vitest';
import { hasChromium } from '../../browser.ts';
import { filesOf } from '../changes/apps.ts';
import { AgentProcess, projectWith, say, useStage } from './stage.ts';

describe.skipIf(!hasChromium)('a long chat', () => {
  const stage = useStage();

  test('messages wait through a SIGKILL in both windows, and a chat is summed up and opened', async () => {
    const first = await AgentProcess.start(stage);
    const { page, appId, chat } = await first.open(projectWith({ 'a.txt': 'a\n' }), 'ask');
    stage.model.reply([{ text: 'Half of it' }, 'hang']);
    await say(page, 'Tell me');
    await page.getByText('Half of it').waitFor();
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('And then?');
    await page.getByRole('button', { name: 'Queue' }).click();
    await page.getByText('1 message queued until the answer is complete').waitFor();
    await first.kill();

    const second = await AgentProcess.start(stage, { dataDir: first.dataDir });
    const [after, other] = [await second.window(appId), await second.window(appId)];
    for (const window of [after, other]) await window.getByText('1 message waiting. The answer before').waitFor();
    stage.model.reply([
      { text: 'Then it is dark. '.repeat(300) },
      { usage: '{"prompt_tokens":500,"completion_tokens":1400}' },
    ]);
    await after.getByRole('button', { name: 'Send now: And then?' }).click();
    await other.getByText('Then it is dark.').first().waitFor();
    await other.getByRole('region', { name: 'Queued messages' }).waitFor({ state: 'detached' });
    await after.getByText('1.9K tokens', { exact: true }).first().waitFor();

    stage.model.reply([{ text: 'It gets **dark**.' }]);
    await after.keyboard.press('Control+k');
    await after.getByRole('combobox').fill('Compact this chat');
    await after.keyboard.press('Enter');
    await other.getByText(/^Summary of 4 messages/).click();
    await other.getByText('It gets dark.').waitFor();
    const { messages } = await second.wire.ask('get-chat', { chatId: chat.id });
    expect(messages).toHaveLength(5);
    expect(stage.problems).toEqual([]);
  }, 240_000);
});

describe.skipIf(!hasChromium)('a plan, and an earlier message', () => {
  const stage = useStage();
  const write = (content: string): string => `<agent-write path="a.txt" description="">\n${content}</agent-write>`;

  test('a plan is approved and followed in both windows and over a restart, and the chat goes on from before it', async () => {
    const first = await AgentProcess.start(stage);
    const project = projectWith({ 'a.txt': 'zero\n' });
    const { page, appId } = await first.open(project, 'plan');
    stage.model.reply([{ text: 'Two steps.\n\n<agent-plan>\n1. Write one\n2. Write two\n</agent-plan>' }]);
    await say(page, 'Plan it');
    await page.getByRole('region', { name: 'Plan to approve' }).waitFor();
    await page.getByRole('button', { name: /^Change step 2/ }).press('Alt+ArrowUp');
    await page.getByRole('button', { name: /^Change step 1: Write two/ }).waitFor();
    stage.model.reply([{ text: `${write('two\n')}\n<agent-step-done step="1"></agent-step-done>` }]);
    await page.getByRole('button', { name: 'Approve and begin' }).click();
    await page.getByText('Step 1: Write two').waitFor();
    const other = await first.window(appId);
    await other.getByRole('region', { name: 'Plan', exact: true }).getByText('0 of 2 steps done').waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await other.getByRole('region', { name: 'Plan', exact: true }).getByText('1 of 2 steps done').waitFor();
    expect(filesOf(project)).toEqual({ 'a.txt': 'two\n' });
    await first.kill();

    const second = await AgentProcess.start(stage, { dataDir: first.dataDir });
    const after = await second.window(appId);
    const strip = after.getByRole('region', { name: 'Plan', exact: true });
    await strip.getByText('1 of 2 steps done').waitFor();
    stage.model.reply([{ text: 'It is written. <agent-step-done step="2"></agent-step-done>' }]);
    await strip.getByRole('button', { name: 'Go on' }).click();
    await strip.waitFor({ state: 'detached' });
    await after.getByText('2 of 2 steps done').waitFor();

    await after.locator('.ma-message[data-role=user]').first().hover();
    await after.getByRole('button', { name: 'Edit and go on from here' }).first().click();
    await after.getByRole('textbox', { name: 'Edited message' }).fill('Plan something else');
    await after.getByRole('radio', { name: /^Take the files back/ }).check();
    stage.model.reply([{ text: 'What would you like?' }]);
    await after.getByRole('button', { name: 'Take the files back and go on' }).click();
    await after.getByText('What would you like?').waitFor();
    await after.getByText(/The files went back to [0-9a-f]{7}\./).waitFor();
    expect(filesOf(project)).toEqual({ 'a.txt': 'zero\n' });
    await after.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect.poll(() => filesOf(project)).toEqual({ 'a.txt': 'two\n' });
    expect(stage.problems).toEqual([]);
  }, 240_000);
});
