import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium, sample, useGallery } from './support.ts';

const cells = (row: Locator): Promise<string[]> => row.locator('[role=cell]').allInnerTexts();

describe.skipIf(!hasChromium)('tables', () => {
  const gallery = useGallery();

  test('rows of a result are searched, filtered and counted', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('rows'));
    await card.getByRole('searchbox', { name: 'Search rows' }).fill('invoices/1');
    await expect.poll(() => card.getByText(/ of 10,000 rows$/).count()).toBe(1);
    await card.getByRole('button', { name: 'Filter' }).click();
    await card.getByRole('textbox', { name: 'Filter ms' }).fill('>= 1900');
    await expect.poll(() => card.locator('[role=row]').count()).toBeLessThan(6);
    for (const row of await card.locator('[role=row][aria-rowindex]').all()) {
      const [, path, ms] = await cells(row);
      if (path === undefined) continue;
      expect(path).toContain('invoices/1');
      expect(Number(ms!.replace(',', ''))).toBeGreaterThanOrEqual(1_900);
    }
    await card.getByRole('searchbox', { name: 'Search rows' }).fill('no such row');
    await card.getByText('No row is like that.').waitFor();
    await card.getByRole('button', { name: 'Filter' }).click();
    await card.getByRole('searchbox', { name: 'Search rows' }).fill('');
    await card.getByText('10,000 rows', { exact: true }).last().waitFor();
  });

  test('what is found is copied as CSV', async () => {
    const page = await gallery.open({ permissions: ['clipboard-read', 'clipboard-write'] });
    const card = page.locator(sample('table'));
    await card.getByRole('searchbox', { name: 'Search rows' }).fill('users/0');
    await expect.poll(() => card.getByText(/ of 400 rows$/).innerText()).not.toBe('400 of 400 rows');
    await card.getByRole('button', { name: 'Copy as CSV' }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toMatch(/^id,path,ms,ok\n1,\/api\/v1\/users\/0,0,false\n/);
  });

  test('a stored table of a million rows comes a page at a time', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('stored table'));
    await card.getByRole('button', { name: 'Open as table: sales.csv' }).click();
    await card.getByText('Rows 1 to 100 of 1,000,000').waitFor();
    expect(await card.getByRole('table').getAttribute('aria-rowcount')).toBe('1000001');
    expect(await card.getByRole('row').count()).toBeLessThan(60);
    await card.getByRole('button', { name: 'Next' }).click();
    await card.getByText('Rows 101 to 200 of 1,000,000').waitFor();
    await expect.poll(() => card.locator('[role=row][aria-rowindex="102"]').innerText()).toContain('101');
    await card.getByRole('columnheader', { name: 'revenue' }).getByRole('button').click();
    await card.getByText('Rows 1 to 100 of 10,000').waitFor();
    await card.getByRole('searchbox', { name: 'Search rows' }).fill('order 77,');
    await card.getByText('No row is like that.').first().waitFor();
    await card.getByRole('searchbox', { name: 'Search rows' }).fill('order 78,');
    await card.getByText('Row 1 of 1').waitFor();
  });

  test('a host that errs or lies is told of, and nothing of it runs', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('stored tables of hosts that err'));
    const open = (name: string): Promise<void> => card.getByRole('button', { name: `Open as table: ${name}` }).click();
    const item = (name: string): Locator => card.locator('.ms-saved > li').filter({ hasText: name });
    await open('empty.csv');
    await item('empty.csv').getByText('No row is like that.').waitFor();
    await open('too-much.csv');
    await item('too-much.csv').getByText('Rows 1 to 100 of 100').waitFor();
    await open('hostile.csv');
    await item('hostile.csv').getByText('<img src=x onerror').waitFor();
    await item('hostile.csv').getByText('\\u{202e}txt').waitFor();
    for (const [name, why] of [
      ['no-rows.csv', 'The answer has rows that are none.'],
      ['nothing.csv', 'The answer has no rows.'],
      ['gone.csv', 'The file is not there any more.'],
    ] as const) {
      await open(name);
      const alert = item(name).getByRole('alert');
      await expect.poll(() => alert.innerText()).toContain(why);
      await alert.getByRole('button', { name: 'Try again' }).click();
      await expect.poll(() => alert.innerText()).toContain(why);
    }
    expect(await card.locator('img, script').count()).toBe(0);
    expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
  });

  test('nothing was thrown or logged in all of this', () => expect(gallery.problems).toEqual([]));
});
