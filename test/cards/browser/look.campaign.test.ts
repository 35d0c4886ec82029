import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { hasChromium, sample, useGallery } from './support.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

/** What axe objects to, as `rule: element`. */
async function violations(page: Page): Promise<string[]> {
  // Not as a script of the page, which its policy forbids.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    // What is fading in has not its colour yet.
    await Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {})));
    const { violations } = await axe.run(document);
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  });
}

async function openEverything(page: Page): Promise<void> {
  const closed = page.locator('.ms-card-trigger[aria-expanded=false]');
  while ((await closed.count()) > 0) await closed.first().click();
}

describe.skipIf(!hasChromium)('how it looks', () => {
  const gallery = useGallery();

  test.each(['light', 'dark'])('axe finds nothing wrong with any component, open, in %s', async (theme) => {
    const page = await gallery.open({ reducedMotion: 'reduce' }, `theme=${theme}`);
    await openEverything(page);
    await expect.poll(() => violations(page)).toEqual([]);
  });

  test.each(['Ask for consent', 'Ask about sizes'])('nor with the question: %s', async (name) => {
    const page = await gallery.open({ reducedMotion: 'reduce' }, 'theme=dark');
    await page.getByRole('button', { name }).click();
    await page.getByRole('dialog').waitFor();
    await page.locator('[role=dialog] button:not([aria-disabled=true])').first().waitFor();
    await expect.poll(() => violations(page)).toEqual([]);
  });

  test('nor with the other tabs and an open menu', async () => {
    const page = await gallery.open({ reducedMotion: 'reduce' }, 'theme=light');
    await page.locator(sample('error')).getByRole('tab', { name: 'Script' }).click();
    await page.locator(sample('timeout')).getByRole('tab', { name: 'Details' }).click();
    await page.locator(`${sample('error')} .ms-card-more`).click();
    await page.getByRole('menu').waitFor();
    await expect.poll(() => violations(page)).toEqual([]);
  });

  test.each(['light', 'dark'])(
    'nor with more contrast, in %s, where text and borders stand out more',
    async (theme) => {
      const page = await gallery.open({ reducedMotion: 'reduce', contrast: 'more' }, `theme=${theme}`);
      await openEverything(page);
      await expect.poll(() => violations(page)).toEqual([]);
      const colours = (of: Page): Promise<string[]> =>
        of.locator(`${sample('success')} .ms-card-stats`).evaluate((stats) => {
          const card = stats.closest('.ms-card')!;
          return [getComputedStyle(stats).color, getComputedStyle(card).borderTopColor, getComputedStyle(card).color];
        });
      const [stats, border, text] = await colours(page);
      expect(stats).toBe(text);
      const [, usualBorder] = await colours(await gallery.open({ reducedMotion: 'reduce' }, `theme=${theme}`));
      expect(border).not.toBe(usualBorder);
    },
  );

  test('forced colours keep what is chosen, focused and marked visible', async () => {
    const page = await gallery.open({ reducedMotion: 'reduce', forcedColors: 'active' });
    await openEverything(page);
    await expect.poll(() => violations(page)).toEqual([]);
    const style = (selector: string, property: string): Promise<string> =>
      page
        .locator(selector)
        .first()
        .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
    await page.locator(`${sample('success')} .ms-card-trigger`).focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    await expect
      .poll(() => style(`${sample('success')} .ms-card-trigger:focus-visible`, 'outline-style'))
      .toBe('solid');
    await expect.poll(() => style('.ms-choice-option input:checked + span', 'outline-style')).toBe('solid');
    await expect.poll(() => style(`${sample('error')} .ms-code-line[data-marked]`, 'outline-style')).toBe('solid');
    const tab = (state: string): string => `${sample('success')} [role=tab][data-state=${state}]`;
    await expect
      .poll(() => style(tab('active'), 'border-bottom-color'))
      .not.toBe(await style(tab('inactive'), 'border-bottom-color'));
    await expect
      .poll(() => style('.ms-bar-fill', 'background-color'))
      .not.toBe(await style('.ms-card', 'background-color'));
  });

  test.each([
    [320, 1],
    [768, 1],
    [1280, 1],
    [2560, 1],
    // 200 % zoom of a window of 640.
    [320, 2],
  ])('nothing is wider than a page of %d px (%d device pixels each)', async (width, deviceScaleFactor) => {
    const page = await gallery.open({ viewport: { width, height: 900 }, deviceScaleFactor });
    await openEverything(page);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    const outside = await page.evaluate(() =>
      [...document.querySelectorAll('.ms-card, .ms-chip, .ms-notice, .ms-settings, .ms-button')]
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
        .map(({ className }) => className),
    );
    expect(outside).toEqual([]);
  });

  test('the theme of the host goes before that of the system, and changes under open cards', async () => {
    const page = await gallery.open({ colorScheme: 'dark' }, 'theme=light');
    const background = (): Promise<string> =>
      page.locator(`${sample('error')} .ms-card`).evaluate((card) => getComputedStyle(card).backgroundColor);
    await expect.poll(() => background()).toBe('rgb(255, 255, 255)');
    await page.locator('#theme').selectOption('dark');
    await expect.poll(() => background()).toBe('rgb(29, 28, 26)');
    await page.locator('#theme').selectOption('');
    await expect.poll(() => background()).toBe('rgb(29, 28, 26)');
  });

  test('a running card moves one word, and under reduced motion nothing', async () => {
    const verbOf = async (page: Page): Promise<string> =>
      (await page.locator(`${sample('running')} .ms-verb`).innerText()).trim();
    const moving = await gallery.open();
    const first = await verbOf(moving);
    await expect.poll(() => verbOf(moving)).not.toBe(first);
    const running = (page: Page): Promise<number> =>
      page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length);
    await expect.poll(() => running(moving)).toBeGreaterThan(0);

    const still = await gallery.open({ reducedMotion: 'reduce' });
    const verbs = await still.evaluate(
      async (selector) => {
        const seen: string[] = [];
        const element = document.querySelector(selector)!;
        const observer = new MutationObserver(() => seen.push(element.textContent ?? ''));
        observer.observe(element, { childList: true, subtree: true, characterData: true });
        // Longer than a verb stays when it moves.
        await new Promise((resolve) => setTimeout(resolve, 3_000));
        return seen;
      },
      `${sample('running')} .ms-card-stats`,
    );
    expect(verbs).toEqual([]);
    await expect.poll(() => running(still)).toBe(0);
  });

  test('right to left is the other way round, and code is not', async () => {
    const page = await gallery.open({}, 'dir=rtl');
    const x = (selector: string): Promise<number> =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => element.getBoundingClientRect().x);
    await expect
      .poll(() => x(`${sample('success')} .ms-card-kind`))
      .toBeGreaterThan(await x(`${sample('success')} .ms-card-more`));
    const error = page.locator(sample('error'));
    await error.getByRole('tab', { name: 'Output' }).focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => error.getByRole('tab', { name: 'Script' }).getAttribute('aria-selected')).toBe('true');
    await expect.poll(() => error.locator('.ms-code').evaluate((code) => getComputedStyle(code).direction)).toBe('ltr');
  });

  test('two hundred cards are there, and each opens', async () => {
    const page = await gallery.open();
    await page.getByRole('button', { name: 'Show 200 cards' }).click();
    const cards = page.locator('#many .ms-card');
    await expect.poll(() => cards.count()).toBe(200);
    await cards.nth(199).locator('.ms-card-trigger').click();
    await expect
      .poll(() => page.evaluate(() => document.querySelectorAll('#many .ms-card-trigger[aria-expanded=true]').length))
      .toBeGreaterThan(0);
  });

  test('nothing was thrown or logged in all of this', () => expect(gallery.problems).toEqual([]));
});
