import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { hasChromium, useGallery } from './support.ts';

describe.skipIf(!hasChromium)('questions', () => {
  const gallery = useGallery();
  const ask = async (page: Page, button: string): Promise<void> => {
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('dialog').waitFor();
  };
  const said = (page: Page): Promise<string> => page.locator('#dialogs .asked').innerText();
  const ready = (page: Page): Promise<void> =>
    page.locator('[role=dialog] button[aria-disabled=false]').first().waitFor();

  test('consent shows the whole script, every file, and what is invisible', async () => {
    const page = await gallery.open();
    await ask(page, 'Ask for consent');
    const text = await page.getByRole('dialog').innerText();
    for (const part of ['everything in the folder /home/ada/shop', 'server.log', '80 MB', 'notes.txt', '15 lines']) {
      expect(text).toContain(part);
    }
    expect(text).toContain('\\u{202e}');
    expect(text).toContain('1 invisible character, on line 15');
    expect(text).toContain('the attachment server.log');
    expect(text).toContain('“Allow always” holds for every script');
  });

  test.each([320, 900])('no end of a line of the script is hidden in a window of %d px', async (width) => {
    const page = await gallery.open({ viewport: { width, height: 900 } });
    await ask(page, 'Ask for consent');
    const code = page.locator('[role=dialog] .ms-code');
    await expect.poll(() => code.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    await expect.poll(() => code.innerText()).toContain('length: 1048576 })');
  });

  test.each([
    ['Allow once', 'allow-once'],
    ['Allow always', 'allow-always'],
    ['Deny', 'deny'],
  ])('%s answers %s', async (name, answer) => {
    const page = await gallery.open();
    await ask(page, 'Ask for consent');
    await ready(page);
    await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
    await expect.poll(() => said(page)).toBe(answer);
  });

  test('Escape denies; the focus begins at Deny, stays inside, and returns', async () => {
    const page = await gallery.open();
    await page.getByRole('button', { name: 'Ask for consent' }).focus();
    await page.keyboard.press('Enter');
    const active = (): Promise<string> => page.evaluate(() => (document.activeElement as HTMLElement).innerText);
    await expect.poll(active).toBe('Deny');
    for (let step = 0; step < 12; step++) {
      await page.keyboard.press('Tab');
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.closest('[role=dialog]') !== null))
        .toBe(true);
    }
    await ready(page);
    await page.keyboard.press('Escape');
    await expect.poll(() => said(page)).toBe('deny');
    await expect.poll(active).toBe('Ask for consent');
  });

  test('questions come one at a time, and a double click on one does not answer the next', async () => {
    const page = await gallery.open();
    await ask(page, 'Ask three times');
    await page.getByRole('dialog').getByText('2 more questions').waitFor();
    await ready(page);
    await page.getByRole('button', { name: 'Allow once' }).dblclick();
    await page.getByText('Let the script call deploy()?').waitFor();
    await page.getByRole('dialog').getByText('1 more question').waitFor();
    await page.getByText('"production"').waitFor();
    await ready(page);
    await page.keyboard.press('Escape');
    await page.getByText('Run this script?').waitFor();
    await ready(page);
    await page.keyboard.press('Escape');
    await expect.poll(() => said(page)).toBe('allow-once, deny, deny');
  });

  test.each([
    ['a command', 'Run this command?', ['npm test && echo "done"\\u{202e}', 'holds for this very command']],
    ['a file to read', 'Let the model read this file?', ['config/production.json', 'every file that a tool reads']],
    ['a file to write', 'Let the model write this file?', ['notes/errors.md', '# Errors', 'that a tool writes']],
    ['a file that runs', 'Let the model write this file?', ['because git runs it at each commit', 'this very content']],
  ])('about %s: the heading names it, and nothing is said of scripts', async (name, title, parts) => {
    const page = await gallery.open();
    await ask(page, `Ask about ${name}`);
    await page.getByRole('dialog', { name: title, exact: true }).waitFor();
    const text = await page.getByRole('dialog').innerText();
    for (const part of parts) expect(text).toContain(part);
    expect(text).not.toMatch(/script|can read no file/i);
    await expect.poll(() => page.locator('[role=dialog] .ms-token-keyword').count()).toBe(0);
  });

  test('a click beside a question is no answer', async () => {
    const page = await gallery.open();
    await ask(page, 'Ask for consent');
    await page.mouse.click(5, 5);
    await expect.poll(() => page.getByRole('dialog').count()).toBe(1);
    await expect.poll(() => said(page)).toBe('');
  });

  test.each([
    ['Attach everything', 'attach'],
    ['Truncate', 'truncate'],
    ['Cancel', 'cancel'],
  ])('about sizes: %s answers %s', async (name, answer) => {
    const page = await gallery.open();
    await ask(page, 'Ask about sizes');
    await page.getByText('Attachments total 1.2 MB (threshold: 512 KB)').waitFor();
    await ready(page);
    await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
    await expect.poll(() => said(page)).toBe(answer);
  });

  test('scripts that wait say when they will be tried again', async () => {
    const page = await gallery.open();
    await expect.poll(() => page.getByText(/^They will be tried again at \d+:\d\d:30/).count()).toBe(1);
  });

  test('settings: a number out of its range is not kept, a file is removed after a question', async () => {
    const page = await gallery.open();
    const settings = page.locator('#settings');
    const limit = settings.getByLabel('Time limit');
    await limit.fill('50');
    await settings.getByText('A whole number from 100 to 10,000').waitFor();
    await limit.press('Enter');
    await limit.fill('3000');
    await limit.press('Enter');
    await settings.getByRole('radio', { name: 'Always allow' }).check();
    await expect.poll(() => settings.getByRole('radio', { name: 'Always allow' }).isChecked()).toBe(true);

    await settings.getByRole('button', { name: 'Remove server.log' }).click();
    await page.keyboard.press('Escape');
    await settings.getByRole('button', { name: 'Remove server.log' }).click();
    await settings.getByRole('button', { name: 'Remove', exact: true }).click();
    await expect.poll(() => settings.getByText('server.log').count()).toBe(0);
    await settings.getByText('Open .dyad/media/').waitFor();
  });

  test('nothing was thrown or logged in all of this', () => expect(gallery.problems).toEqual([]));
});
