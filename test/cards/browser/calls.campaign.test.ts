import { describe, expect, test } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { hasChromium, sample, useGallery } from './support.ts';

describe.skipIf(!hasChromium)('the calls of a script card', () => {
  const gallery = useGallery();
  const card = (page: Page, name: string): Locator => page.locator(sample(name));
  const answer = (page: Page, name: string, button: string): Locator =>
    card(page, name).getByRole('button', { name: button, exact: true });
  const said = (page: Page): Promise<string> => page.locator('#calls .asked').innerText();
  const isReady = (button: Locator): Promise<void> =>
    expect.poll(() => button.getAttribute('aria-disabled')).toBe('false');

  test('a call that waits is open, with the tool, all arguments, the calls before and the code at that line', async () => {
    const page = await gallery.open();
    const waiting = card(page, 'a call waits');
    await expect.poll(() => waiting.locator('.ms-card-trigger').getAttribute('aria-expanded')).toBe('true');
    const text = await waiting.locator('.ms-call-question').innerText();
    expect(text).toContain('Let the script call github.create_issue()?');
    expect(text).toContain('The script has made 2 calls before this one.');
    expect(text).toContain('"title": "E4004: 41213 times since Sunday"');
    expect(text).toContain('“For this run” and “always” allow this tool where repo = "shop/web".');
    await expect.poll(() => waiting.locator('[data-marked]').innerText()).toMatch(/^6\s+await github\.create_issue/);
    const strip = await waiting.locator('.ms-call').allInnerTexts();
    expect(strip.map((chip) => chip.split(/\s+/)[0])).toEqual([
      'logs.errors',
      'github.search_issues',
      'github.create_issue',
    ]);
  });

  test.each([
    ['Allow', 'allow 3'],
    ['Allow for this run', 'allow-run 3'],
    ['Always allow', 'allow-always 3'],
    ['Deny', 'deny 3'],
  ])('%s is told to the host, and the call is shown as decided', async (button, told) => {
    const page = await gallery.open();
    await isReady(answer(page, 'a call waits', button));
    await answer(page, 'a call waits', button).click();
    await expect.poll(() => said(page)).toBe(`a call waits: ${told}`);
    await expect.poll(() => card(page, 'a call waits').locator('.ms-call-question').count()).toBe(0);
  });

  test('takes no answer before it can have been read, nor right after a key that was pressed elsewhere', async () => {
    const page = await gallery.open();
    const allow = answer(page, 'a call waits', 'Allow');
    await isReady(allow);
    await page.getByRole('button', { name: 'Ask about sizes' }).focus();
    await page.keyboard.press('x');
    expect(await allow.getAttribute('aria-disabled')).toBe('true');
    await allow.dispatchEvent('click');
    expect(await said(page)).toBe('');
    await isReady(allow);
  });

  test('one press answers one question: the next one has to be read', async () => {
    const page = await gallery.open();
    const allow = answer(page, 'two calls wait', 'Allow');
    await isReady(allow);
    await allow.focus();
    await page.keyboard.press('Enter');
    await card(page, 'two calls wait').getByText('"title": "E1001"').waitFor();
    await page.keyboard.press('Enter');
    expect(await said(page)).toBe('two calls wait: allow 3');
    await isReady(allow);
    await page.keyboard.press('Enter');
    await expect.poll(() => said(page)).toBe('two calls wait: allow 4');
  });

  test('does not take the focus, and is answered by keyboard alone', async () => {
    const page = await gallery.open();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
    const chips = card(page, 'a call waits').locator('.ms-call');
    await chips.first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    const details = card(page, 'a call waits').locator('.ms-call-details');
    await expect.poll(() => details.innerText()).toContain('Call 2: github.search_issues');
    expect(await details.innerText()).toContain('done · 1.2 s · gave 31 B');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    const deny = answer(page, 'a call waits', 'Deny');
    await isReady(deny);
    // Past the arguments and the code, which scroll.
    for (let tabs = 0; tabs < 6 && !(await deny.evaluate((it) => it === document.activeElement)); tabs++)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await expect.poll(() => said(page)).toBe('a call waits: deny 3');
  });

  test('asks what became of a call whose outcome nobody knows', async () => {
    const page = await gallery.open();
    const again = answer(page, 'an outcome is not known', 'Call it again');
    await isReady(again);
    await again.click();
    await expect.poll(() => said(page)).toBe('an outcome is not known: try-again 3');
  });

  test('tells who allowed a call, and forks a run from another answer', async () => {
    const page = await gallery.open();
    const done = card(page, 'all calls are done');
    await done.locator('.ms-card-trigger').click();
    await done.locator('.ms-call').nth(2).click();
    await expect.poll(() => done.locator('.ms-call-details').innerText()).toContain('allowed by ann@example.com');
    await done.locator('.ms-call').nth(1).click();
    await answer(page, 'all calls are done', 'Change its answer').click();
    const area = done.getByLabel('The value, as JSON');
    await expect.poll(() => area.inputValue()).toBe('{\n  "issues": []\n}');
    await area.fill('{ issues: 1 }');
    await answer(page, 'all calls are done', 'Fork the run').click();
    await done.getByText('This is not JSON').waitFor();
    await area.fill('{ "issues": [7] }');
    await answer(page, 'all calls are done', 'Fork the run').click();
    await expect.poll(() => said(page)).toBe('all calls are done: fork 2 {"value":{"issues":[7]}}');
    const opener = answer(page, 'all calls are done', 'Change its answer');
    await expect.poll(() => opener.evaluate((it) => it === document.activeElement)).toBe(true);
    await opener.click();
    await page.keyboard.press('Escape');
    await opener.waitFor();
  });

  test('shows what does not print, all of it, and runs none of it', async () => {
    const page = await gallery.open();
    const hostile = card(page, 'hostile calls');
    await expect.poll(() => hostile.locator('.ms-call-question').innerText()).toContain('tools.\\u{202e}pay()');
    const args = hostile.locator('.ms-pre');
    expect(await args.innerText()).toContain('\\u{202e}gnp.exe');
    expect((await args.innerText()).length).toBeGreaterThan(100_000);
    expect(
      await args.evaluate((it) => it.scrollHeight > it.clientHeight && getComputedStyle(it).overflowY === 'auto'),
    ).toBe(true);
    expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
  });

  test('shows the last of many calls first, and all of them when asked', async () => {
    const page = await gallery.open();
    const many = card(page, 'many calls');
    await expect.poll(() => many.locator('.ms-call').count()).toBe(50);
    await many.getByRole('button', { name: 'Show 951 earlier calls' }).click();
    await expect.poll(() => many.locator('.ms-call').count()).toBe(1_001);
  });

  test.each([320, 360, 768])('fits into %d pixels, with its answers inside', async (width) => {
    const page = await gallery.open({ viewport: { width, height: 700 } });
    const waiting = card(page, 'a call waits');
    const box = await waiting.locator('.ms-card').boundingBox();
    for (const button of await waiting.locator('.ms-call-question .ms-button').all()) {
      const inner = await button.boundingBox();
      expect(inner!.x).toBeGreaterThanOrEqual(box!.x);
      expect(inner!.x + inner!.width).toBeLessThanOrEqual(box!.x + box!.width);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(gallery.problems).toEqual([]);
  });
});
