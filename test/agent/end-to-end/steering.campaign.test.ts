// Several servers, a queue and a summary: the real program and a browser.
import { expect, test, describe } from 'vitest';
import { hasChromium } from '../../browser.ts';
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
    await page.getByText('1 message waiting for the end of the answer').waitFor();
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
    await other.getByRole('region', { name: 'Messages that wait' }).waitFor({ state: 'detached' });
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
