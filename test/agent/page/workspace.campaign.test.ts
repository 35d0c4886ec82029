// The files of a workspace on the page, with the real program behind it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasChromium, launchChromium } from '../../browser.ts';
import { Stage } from '../turns/support.ts';
import { violations } from './support.ts';

describe.skipIf(!hasChromium)('the workspace of a chat', () => {
  let stage: Stage;
  let browser: Browser;
  beforeAll(async () => {
    [stage, browser] = await Promise.all([
      Stage.start({ turns: { bash: { backend: 'memory', env: { MUSTARD_ENABLE_BASH_TOOL: '1' } } } }),
      launchChromium(),
    ]);
    await stage.page.ask('update-settings', { bash: true });
    stage.page.onQuestion = () => 'allow-once';
  });
  afterAll(() => browser?.close());

  test('is looked at, downloaded, and taken over by approval', async () => {
    const { chat, appPath } = await stage.chat('agent', { 'a.txt': 'one\n' });
    await stage.page.ask('init-git', { appId: chat.appId });
    stage.model.reply(
      [{ call: 'bash', args: { command: 'echo two > a.txt; echo "<b>built</b>" > out.html' } }],
      [{ text: 'Done.' }],
    );
    await stage.answer(chat, 'Build it');
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(stage.program.url);
    const panel = page.getByRole('tabpanel');
    await page.getByText('Done.').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('workspace');
    await page.keyboard.press('Enter');
    await panel.getByRole('button', { name: 'out.html' }).click();
    await expect.poll(() => panel.innerText()).toContain('<b>built</b>');
    await expect.poll(() => violations(page)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      panel.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('out.html');
    expect(readFileSync(await download.path(), 'utf8')).toBe('<b>built</b>\n');

    await panel.getByRole('button', { name: 'All files' }).click();
    await panel.getByRole('button', { name: 'Take over changes' }).click();
    await panel.getByRole('button', { name: 'Approve' }).click();
    await expect.poll(() => readFileSync(join(appPath, 'a.txt'), 'utf8')).toBe('two\n');
  });
});
