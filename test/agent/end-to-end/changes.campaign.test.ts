// What a person does with proposals and versions, in the real program, with git as the judge.
import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { hasChromium } from '../../browser.ts';
import { filesOf, good, put, state, subjects } from '../changes/apps.ts';
import { AgentProcess, projectWith, say, useStage } from './stage.ts';

const write = (path: string, content: string): string =>
  `<agent-write path="${path}" description="For the test">\n${content}</agent-write>\n`;
const summary = (text: string): string => `<agent-chat-summary>${text}</agent-chat-summary>`;

/** The last proposal of the chat, by what stands at its head. */
async function decide(page: Page, answer: 'Approve' | 'Reject', then: string, count: number): Promise<void> {
  await page.getByRole('button', { name: answer }).click();
  await expect.poll(() => page.getByRole('region', { name: then }).count()).toBe(count);
}

describe.skipIf(!hasChromium)('proposals', () => {
  const stage = useStage();

  test('are approved, rejected and taken back; each is a version that git can show', async () => {
    const original = { 'a.txt': 'one\n', 'old.txt': 'moves\n', 'gone.txt': 'goes\n' };
    const project = projectWith(original);
    const agent = await AgentProcess.start(stage);
    const { page } = await agent.open(project, 'build');

    // What is proposed is not done.
    stage.model.reply([
      { text: `I change three files. ${write('a.txt', 'two\n')}` },
      { text: '<agent-rename from="old.txt" to="moved/new.txt"></agent-rename>\n' },
      { text: '<agent-delete path="gone.txt"></agent-delete>\n' },
      { text: summary('Tidy up') },
    ]);
    await say(page, 'Tidy up');
    await page.getByRole('region', { name: 'Proposed changes' }).waitFor();
    expect(filesOf(project)).toEqual(original);

    // Meanwhile the person works, too: that is in nobody else's commit.
    put(project, { 'mine.txt': 'by hand\n' });
    await decide(page, 'Approve', 'Applied', 1);
    const tidied = { 'a.txt': 'two\n', 'mine.txt': 'by hand\n', 'moved/new.txt': 'moves\n' };
    expect(filesOf(project)).toEqual(tidied);
    expect(state(project)).toEqual({ ...good, status: '?? mine.txt\n' });
    expect(subjects(project)[0]).toMatch(/^\[agent\] Tidy up - /);

    stage.model.reply([{ text: write('a.txt', 'three\n') + summary('Not wanted') }]);
    await say(page, 'Another');
    await decide(page, 'Reject', 'Rejected. Nothing was changed.', 1);
    expect(filesOf(project)).toEqual(tidied);

    stage.model.reply([{ text: write('b.txt', 'new\n') + summary('Add b') }]);
    await say(page, 'Add b');
    await decide(page, 'Approve', 'Applied', 2);
    expect(filesOf(project)).toEqual({ ...tidied, 'b.txt': 'new\n' });

    await page.getByRole('button', { name: 'Show the panel' }).click();
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Undo the last turn' }).click();
    await page.getByText('Undid the last turn in a new version').waitFor();
    expect(filesOf(project)).toEqual(tidied);

    const before = subjects(project);
    await page.getByRole('button', { name: /^By hand/ }).click();
    await page.getByRole('button', { name: 'Go back to this version' }).click();
    const dialog = page.getByRole('dialog', { name: 'Go back to this version?' });
    await dialog.getByRole('button', { name: 'Go back to this version' }).click();
    await page.getByText('Restored that version as a new one').waitFor();
    expect(filesOf(project)).toEqual(original);
    // Nothing is lost: a new commit, one of the person's own file, and all that were there before.
    expect(subjects(project).slice(1)).toEqual(['Changes made by hand - 1 file(s)', ...before]);
    expect(state(project)).toEqual(good);
    expect(stage.problems).toEqual([]);
  });
});
