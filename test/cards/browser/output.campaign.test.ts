import { describe, expect, test } from 'vitest';
import { hasChromium, sample, useGallery } from './support.ts';

describe.skipIf(!hasChromium)('output that is data', () => {
  const gallery = useGallery();

  test('rows are sorted by a column, up and down', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('table'));
    const firstRow = (): Promise<string> => card.locator('[role=row][aria-rowindex="2"]').innerText();
    await expect.poll(() => firstRow()).toContain('/api/v1/users/0');
    const header = card.getByRole('columnheader', { name: 'ms' });
    for (const [sort, ms] of [
      ['ascending', '0'],
      ['descending', '1,8'],
    ] as const) {
      await header.getByRole('button').click();
      await expect.poll(() => header.getAttribute('aria-sort')).toBe(sort);
      await expect
        .poll(() => card.locator('[role=row][aria-rowindex="2"] .ms-number').last().innerText())
        .toContain(ms);
    }
  });

  test('ten thousand rows are all there, and only those on the screen are laid out', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('rows'));
    await expect.poll(() => card.getByRole('table').getAttribute('aria-rowcount')).toBe('10001');
    const scroller = card.locator('.ms-table-scroller');
    await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await card.locator('[role=row][aria-rowindex="10001"]').waitFor();
    await expect.poll(() => card.getByRole('row').count()).toBeLessThan(60);
  });

  test('a line is drawn by a library that is loaded when it is needed, and its figures are text', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('line'));
    await card.locator('.ms-chart-drawing svg').waitFor();
    await expect
      .poll(() => card.locator('figcaption').innerText())
      .toContain('72 points · time: 2026-03-01 to 2026-03-03 23:00');
    await card.getByRole('radio', { name: 'Table' }).check();
    await card.getByRole('columnheader', { name: 'errors' }).waitFor();
  });

  test('a tree is walked by the arrow keys', async () => {
    const page = await gallery.open();
    const tree = page.locator(`${sample('tree')} [role=tree]`);
    const focused = (): Promise<string> =>
      page.evaluate(() => (document.activeElement as HTMLElement).innerText.replaceAll(/\s+/g, ' '));
    await tree.locator('[role=treeitem]').first().focus();
    const expected: [key: string, text: string][] = [
      ['ArrowDown', 'log3 keys'],
      ['ArrowLeft', 'log3 keys'],
      ['ArrowDown', 'worst2 items'],
      ['End', 'nonenull'],
      ['ArrowLeft', '3 keys'],
    ];
    for (const [key, text] of expected) {
      await page.keyboard.press(key);
      await expect
        .poll(async () => (await focused()).replaceAll(/[ :]+/g, ' ').trim().replaceAll(' ', ''))
        .toBe(text.replaceAll(' ', ''));
    }
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => tree.locator('[role=treeitem]').count()).toBe(1);
  });

  test('the text is always there', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('bars'));
    await expect.poll(() => card.locator('.ms-bar').count()).toBe(5);
    await card.getByRole('radio', { name: 'Text' }).check();
    await card.getByText('[["E4004",41213]').waitFor();
  });

  test('hostile scripts and outputs are text, and nothing in them is invisible or runs', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('hostile'));
    await expect.poll(() => card.locator('.ms-card-title').innerText()).toContain('\\u{202e}txt.<img src=x onerror');
    await card.locator('.ms-card-trigger').click();
    for (const text of ['<script>globalThis.pwned = true</script>', '\\u{202e}', '\\u{1b}', '\\u{0}', '\\u{d800}']) {
      await card.getByText(text).first().waitFor();
    }
    await card.getByRole('tab', { name: 'Script' }).click();
    await card.locator('.ms-code').waitFor();
    await expect.poll(() => card.locator('img, script, b').count()).toBe(0);
    await expect.poll(() => page.evaluate(() => 'pwned' in globalThis)).toBe(false);
  });

  test('data that is nested four hundred deep does not break the card', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('deep data'));
    await card.locator('.ms-card-trigger').click();
    await card.locator('[role=treeitem]').first().waitFor();
    await expect.poll(() => card.locator('[role=treeitem]').count()).toBeGreaterThan(0);
  });

  test('nothing was thrown or logged in all of this', () => expect(gallery.problems).toEqual([]));
});
