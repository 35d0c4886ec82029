import { describe, expect, test } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { hasChromium, sample, useGallery } from './support.ts';

describe.skipIf(!hasChromium)('a script card', () => {
  const gallery = useGallery();
  const trigger = (page: Page, name: string): Locator => page.locator(`${sample(name)} .ms-card-trigger`);

  test.each([
    ['waiting', 'Script — Count the error codes — waiting for your permission', false],
    ['running', 'Script — Running script… — running', false],
    ['success', 'Script — read server.log — success, 812 ms', false],
    ['error', 'Script — Count the error codes — failed, 31 ms', true],
    ['timeout', 'Script — read server.log — timed out, 2 s', true],
    ['crashed', 'Script — read server.log — crashed, 31 ms', true],
    ['stopped', 'Script — read server.log — stopped, 4.1 s', false],
    ['denied', 'Script — A script was not allowed — not allowed', false],
    ['empty', 'Script — read server.log — success, 812 ms', false],
    ['truncated', 'Script — read server.log — success, 812 ms', false],
  ])(
    'that is %s says so to a screen reader, and is open only when it needs the person',
    async (name, label, isOpen) => {
      const page = await gallery.open();
      const button = trigger(page, name);
      await expect.poll(() => button.getAttribute('aria-label')).toBe(label);
      await expect.poll(() => button.getAttribute('aria-expanded')).toBe(String(isOpen));
      await expect.poll(() => button.evaluate(({ tagName }) => tagName)).toBe('BUTTON');
    },
  );

  test.each([
    ['waiting', 'It waits for your answer'],
    ['running', 'The output appears here when the script ends'],
    ['success', 'E4004'],
    ['error', "TypeError: cannot read property 'split' of undefined"],
    ['timeout', 'read_file() · 81 calls'],
    ['crashed', 'It needed more memory than a script may have'],
    ['stopped', 'It was stopped before its end'],
    ['denied', 'You did not allow this script'],
    ['denied by the settings', 'Scripts can be allowed in Settings'],
    ['empty', 'The script produced no output'],
    ['truncated', 'LLM saw 64 KB of 1 MB'],
  ])('that is %s shows what there is to see', async (name, text) => {
    const page = await gallery.open();
    const button = trigger(page, name);
    if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
    await expect.poll(() => page.locator(`${sample(name)} .ms-card-body`).innerText()).toContain(text);
  });

  test('marks the line of an error, in its output and in its script', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('error'));
    await expect.poll(() => card.locator('[data-marked]').innerText()).toMatch(/^9\s+const \[, level, code\]/);
    await card.getByRole('tab', { name: 'Script' }).click();
    await expect.poll(() => card.locator('[data-marked]').innerText()).toMatch(/^9\s+const \[, level, code\]/);
  });

  test('shows the numbers of a run', async () => {
    const page = await gallery.open();
    await trigger(page, 'success').click();
    await page.locator(sample('success')).getByRole('tab', { name: 'Details' }).click();
    const details = await page.locator(`${sample('success')} .ms-details`).innerText();
    for (const fact of ['48,213,004', '12 MB', '81', '42 KB', 'server.log', 'Jail of the operating system']) {
      expect(details).toContain(fact);
    }
  });

  test('shows all of a result that was cut, and finds something in it', async () => {
    const page = await gallery.open();
    await trigger(page, 'truncated').click();
    const card = page.locator(sample('truncated'));
    await card.getByRole('button', { name: 'Show all 1 MB' }).click();
    await card.getByText('The full output, 1 MB').waitFor();
    await card.getByLabel('Find in output').fill('request 9000 took');
    await card.getByText('1 of 1', { exact: true }).waitFor();
    await card.locator('mark[data-current]', { hasText: 'request 9000 took' }).waitFor();
    await expect.poll(() => card.locator('.ms-text-row').count()).toBeLessThan(100);
  });

  test.each([
    ['more than is kept', 'LLM saw 64 KB of 1.9 MB', 'Show the first 1 MB', 'The first 1 MB of 1.9 MB.'],
    [
      'hardly more than is kept',
      'LLM saw 64 KB of 1 MB',
      'Show the first 1,048,576 bytes',
      'The first 1,048,576 bytes of 1,048,577 bytes.',
    ],
  ])('%s is never told as all of the output', async (name, seen, button, full) => {
    const page = await gallery.open();
    const card = page.locator(sample(name));
    await card.getByText(seen, { exact: true }).waitFor();
    await card.getByRole('button', { name: button, exact: true }).click();
    await card.getByText(full).waitFor();
    expect(await card.innerText()).not.toContain('The full output');
  });

  test.each(['no-preference', 'reduce'] as const)(
    'what runs looks like no radio button, motion: %s',
    async (reducedMotion) => {
      const page = await gallery.open({ reducedMotion });
      // Open on one side, so that it is no circle, also where nothing moves.
      for (const icon of await page.locator('.ms-icon-running path').all()) {
        const gap = await icon.evaluate((element) => {
          const path = element as SVGPathElement;
          const [from, to] = [0, path.getTotalLength()].map((at) => path.getPointAtLength(at));
          return Math.hypot(from!.x - to!.x, from!.y - to!.y);
        });
        expect(gap).toBeGreaterThan(4);
      }
      const moving = page
        .locator('.ms-command', { hasText: 'make all' })
        .locator('xpath=..')
        .locator('.ms-icon-running');
      const count = await moving.evaluate((icon) => icon.getAnimations().length);
      expect(count).toBe(reducedMotion === 'reduce' ? 0 : 1);
      const inCard = page.locator(`${sample('running')} .ms-icon-running`);
      expect(await inCard.evaluate((icon) => icon.getAnimations().length)).toBe(0);
    },
  );

  test('a command that a person stopped has not failed', async () => {
    const page = await gallery.open();
    const card = page.locator('.ms-card', { hasText: 'sleep 900' });
    expect(await card.getAttribute('data-status')).toBe('stopped');
    expect(await card.locator('.ms-card-trigger').getAttribute('aria-label')).toBe('Command — sleep 900 — stopped');
    expect(await card.locator('.ms-card-trigger').getAttribute('aria-expanded')).toBe('false');
  });

  test.each([
    ['Re-run', 'rerun success'],
    ['Manage scripts in Settings', 'settings'],
  ])('its menu asks the host: %s', async (entry, asked) => {
    const page = await gallery.open();
    await page.locator(`${sample('success')} .ms-card-more`).click();
    await page.getByRole('menuitem', { name: entry }).click();
    await expect.poll(() => page.locator('#states .asked').innerText()).toBe(asked);
  });

  test.each([
    ['Copy script', /^\/\/ Counts the error codes of a log/],
    ['Copy output', /^\[\["E4004",41213\]/],
  ])('its menu copies: %s', async (entry, expected) => {
    const page = await gallery.open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.locator(`${sample('success')} .ms-card-more`).click();
    await page.getByRole('menuitem', { name: entry }).click();
    await page.locator(sample('success')).getByText('Copied').waitFor({ state: 'attached' });
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(expected);
  });

  test('what cannot be done is in its menu, and is not done', async () => {
    const page = await gallery.open();
    await page.locator(`${sample('running')} .ms-card-more`).click();
    for (const name of ['Re-run', 'Copy output']) {
      await expect.poll(() => page.getByRole('menuitem', { name }).getAttribute('aria-disabled')).toBe('true');
    }
  });

  test('is used by keyboard alone: opened, walked, asked, and left with the focus where it was', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('success'));
    await trigger(page, 'success').focus();
    for (const key of ['Enter', 'Space', 'Enter']) await page.keyboard.press(key);
    await expect.poll(() => trigger(page, 'success').getAttribute('aria-expanded')).toBe('true');

    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    // It takes the focus a moment after it can be seen.
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest('[role=menu]') !== null)).toBe(true);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'hidden' });
    await expect.poll(() => focused(page)).toBe('More actions');

    await page.keyboard.press('Tab');
    await expect.poll(() => focused(page)).toBe('Output');
    await page.keyboard.press('ArrowRight');
    await card.locator('.ms-code').waitFor();
    await expect.poll(() => focused(page)).toBe('Script');
  });

  test('a word to the model is written, sent, and given up by Escape', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('error'));
    await card.getByRole('button', { name: 'Retry with guidance' }).click();
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('Retry with guidance');
    await page.keyboard.press('Enter');
    await page.keyboard.type('use {size}');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => page.locator('#states .asked').innerText()).toBe('retry error: use {size}');
  });

  test('nothing was thrown or logged in all of this', () => expect(gallery.problems).toEqual([]));
});

function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    return element.getAttribute('aria-label') ?? element.innerText;
  });
}
