// A person approves a part of a proposal, and edits it before, in the real program; kills come in the middle.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../../browser.ts';
import { filesOf, good, state, subjects } from '../changes/apps.ts';
import { AgentProcess, projectWith, say, scratchFolder, useStage } from './stage.ts';

const block = (search: string, replacement: string): string =>
  `<<<<<<< SEARCH\n${search}=======\n${replacement}>>>>>>> REPLACE\n`;
const lines = Array.from({ length: 60 }, (_, index) => `line ${index + 1}\n`).join('');
const answer = `<agent-edit path="a.txt" description="Two places">
${block('line 3\n', 'THREE\n')}${block('line 50\n', 'FIFTY\n')}</agent-edit>
<agent-edit path="b.txt" description="One place">
${block('  b\n', '  c\n')}</agent-edit>
<agent-chat-summary>Edit two files</agent-chat-summary>`;
const original = { 'a.txt': lines, 'b.txt': '\tb\n' };

describe.skipIf(!hasChromium)('parts of a proposal', () => {
  const stage = useStage();

  test('are chosen by keyboard and edited, and exactly that is written', async () => {
    const project = projectWith(original);
    const agent = await AgentProcess.start(stage);
    const { page } = await agent.open(project, 'build');
    stage.model.reply([{ text: answer }]);
    await say(page, 'Edit');
    await page.getByText('1 file where an edit did not match exactly').waitFor();
    await page.getByRole('button', { name: 'Review changes' }).click();
    const panel = page.getByRole('complementary', { name: 'Panel' });
    await panel.getByText('Block 1 has other white space than the file at line 1').waitFor();
    // By keyboard: the file that has the focus is left out and taken again, and a hunk by its box.
    await panel.locator('summary').first().focus();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await expect.poll(() => panel.getByRole('checkbox', { name: 'Approve b.txt' }).isChecked()).toBe(false);
    await panel.getByRole('checkbox', { name: 'Approve hunk 2 of 2' }).press('Space');
    // The button in the chat is for the same part.
    await expect.poll(() => page.getByRole('button', { name: 'Approve selected' }).count()).toBe(2);
    await page.keyboard.press('k');
    await page.keyboard.press('e');
    const editor = panel.getByRole('textbox', { name: 'Proposed content of a.txt' });
    await editor.waitFor();
    await page.keyboard.type('first ');
    expect(
      await page
        .getByRole('button', { name: /Approve selected/ })
        .first()
        .getAttribute('aria-disabled'),
    ).toBe('true');
    await panel.getByRole('button', { name: 'Keep this edit' }).click();
    await panel.getByText('edited by you').waitFor();
    expect(filesOf(project)).toEqual(original);
    // The hunks are others now, so none of this file is left out; the file that was left out still is.
    await panel.getByRole('button', { name: 'Approve selected' }).click();
    await page.getByRole('region', { name: 'Applied' }).waitFor();
    await page.getByText('Left out by you: b.txt').first().waitFor();
    expect(filesOf(project)).toEqual({
      'a.txt': `first ${lines.replace('line 3\n', 'THREE\n').replace('line 50\n', 'FIFTY\n')}`,
      'b.txt': '\tb\n',
    });
    expect(state(project)).toEqual(good);
    expect(subjects(project)[0]).toBe('[agent] Edit two files - wrote 1 file(s)');
    expect(stage.problems).toEqual([]);
  });

  test('after a kill the part is written as a whole or not at all, and then all of the proposal stands again', async () => {
    const dataDir = join(scratchFolder(), 'data');
    const project = projectWith(original);
    const part = { 'a.txt': lines.replace('line 50\n', 'FIFTY\n'), 'b.txt': '\tb\n' };
    let isDone = false;
    let chatId = '';
    let messageId = '';
    for (let round = 0; round < 10 && !isDone; round++) {
      const agent = await AgentProcess.start(stage, { dataDir });
      if (round === 0) {
        const { id: appId } = await agent.wire.ask('add-app', { path: project });
        chatId = (await agent.wire.ask('create-chat', { appId, mode: 'build' })).id;
        stage.model.reply([{ text: answer }]);
        messageId = (await agent.wire.ask('chat:stream', { chatId, text: 'Edit', uploads: [] })).messageId;
        await agent.wire.ended(messageId);
      }
      const { messages } = await agent.wire.ask('get-chat', { chatId });
      const { proposal } = messages.find(({ id }) => id === messageId)!;
      isDone = proposal?.state === 'approved';
      expect(filesOf(project)).toEqual(isDone ? part : original);
      expect(state(project).broken).toBe('');
      expect(proposal?.files.map(({ path, hunks }) => `${path} ${hunks.length}`)).toEqual(
        isDone ? ['a.txt 1'] : ['a.txt 2', 'b.txt 1'],
      );
      expect(isDone || proposal?.state === 'pending').toBe(true);
      if (!isDone) {
        const choice = { files: [{ path: 'a.txt', hunks: [1] }], dependencies: true };
        const asked = agent.wire.ask('approve-proposal', { chatId, messageId, choice });
        asked.catch(() => {});
        // From at once to after its end.
        const killed = new Promise((resolve) => setTimeout(resolve, round ** 2 * 12));
        await (round === 8 ? asked : Promise.race([asked, killed]));
      }
      await agent.kill();
    }
    expect(isDone).toBe(true);
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe(part['a.txt']);
    expect(state(project)).toEqual(good);
  });
});
