import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../../browser.ts';
import { expectGone, expectShown, inMain, useFakePage, violations } from './support.ts';

describe.skipIf(!hasChromium)('apps and files by hand, and the search', () => {
  const pages = useFakePage();
  const asked = async (page: Page, name: string): Promise<unknown[]> =>
    inMain(page, (fake, name) => fake.asked.filter((call) => call.name === name).map(({ params }) => params), name);
  const choose = async (page: Page, command: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill(command);
    await page.keyboard.press('Enter');
  };

  test('a new app is made by keyboard alone, and what is refused stays in the dialog', async () => {
    const page = await pages.open();
    await choose(page, 'New app');
    await page.keyboard.type('Summer shop');
    await expectShown(page.getByText('Creates /home/mira/Summer shop with a git history. Nothing is installed yet.'));
    await page.getByRole('radio', { name: /Page/ }).focus();
    await page.keyboard.press('ArrowDown');
    await inMain(page, (fake) => {
      fake.answers['create-app'] = () => Promise.reject(new Error('There is “Summer shop” already.'));
    });
    await page.getByLabel('Name', { exact: true }).press('Enter');
    await expectShown(page.getByRole('alert'));
    await inMain(page, (fake) => {
      delete fake.answers['create-app'];
    });
    await page.getByLabel('Name', { exact: true }).press('Enter');
    await expectGone(page.getByRole('dialog'));
    const wanted = { template: 'node-service', parent: '/home/mira', name: 'Summer shop' };
    expect(await asked(page, 'create-app')).toEqual([wanted, wanted]);
    expect(await asked(page, 'install-packages')).toEqual([]);
  });

  test('packages are named, and installed only when that is pressed', async () => {
    const page = await pages.open({ chat: 'empty' });
    await inMain(page, (fake) => {
      const names = ['react@19.3.1', '<img src=x>@1'];
      fake.answers['read-packages'] = () => ({
        manager: 'npm',
        names,
        installed: false,
        hosts: ['evil.example'],
        refused: null,
      });
      fake.answers['install-packages'] = () => Promise.reject(new Error('npm is not here.'));
      fake.tell('app:files-changed', { appId: 'app-1' });
    });
    await expectShown(page.getByText('<img src=x>@1'));
    await expectShown(page.getByText('The lockfile gets packages from evil.example.'));
    expect(await asked(page, 'install-packages')).toEqual([]);
    await page.getByRole('button', { name: 'Install with npm' }).click();
    await expectShown(page.getByText(/npm is not here/));
    await expectShown(page.getByRole('button', { name: 'Install with npm' }));
    expect(await asked(page, 'install-packages')).toEqual([{ appId: 'app-1' }]);
  });

  test('an app is deleted with an Undo, and removed for good after a question with the safe answer first', async () => {
    const page = await pages.open();
    await page.getByRole('button', { name: 'Rename, copy or delete “shop”' }).click();
    await page.getByRole('button', { name: 'Delete app' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => asked(page, 'restore-app')).toEqual([{ appId: 'app-1' }]);
    await choose(page, 'Deleted apps');
    await page.getByRole('button', { name: 'Remove for good' }).click();
    await expectShown(page.getByText(/All files in .*deleted\/app-7\/old shop/));
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel');
    await page.keyboard.press('Escape');
    expect(await asked(page, 'purge-app')).toEqual([]);
    await page.getByRole('button', { name: 'Remove for good' }).click();
    await page.getByRole('dialog').last().getByRole('button', { name: 'Remove for good' }).click();
    await expect.poll(() => asked(page, 'purge-app')).toEqual([{ appId: 'app-7' }]);
  });

  test('a file gets another name in its row, Escape leaves it, and one that is not saved is left alone', async () => {
    const page = await pages.open();
    await page.getByRole('button', { name: 'Show the panel' }).click();
    await page.getByRole('tab', { name: 'Files' }).click();
    const row = page.locator('.ma-file-row').first();
    await row.hover();
    await row.getByRole('button', { name: /^Rename/ }).click();
    await page.keyboard.type('other');
    await page.keyboard.press('Escape');
    await expectShown(page.getByRole('tab', { name: 'Files' }));
    expect(await asked(page, 'change-app-file')).toEqual([]);
    await row.hover();
    await row.getByRole('button', { name: /^Rename/ }).click();
    await page.keyboard.type('other');
    await page.keyboard.press('Enter');
    const path = 'src/part-0/module-0.ts';
    const renamed = { type: 'rename', from: path, to: 'src/part-0/other.ts' };
    await expect.poll(() => asked(page, 'change-app-file')).toEqual([{ appId: 'app-1', change: renamed }]);
    await row.hover();
    await row.getByRole('button', { name: /^Delete/ }).click();
    await page.locator('.ma-toast', { hasText: 'Deleted' }).getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => asked(page, 'undo-version')).toEqual([{ appId: 'app-1', commit: 'd'.repeat(40) }]);

    await row.getByRole('button', { name: path, exact: true }).click();
    await page.locator('.cm-content').click();
    await page.keyboard.type('typed');
    await page.getByRole('button', { name: 'All files' }).click();
    await row.hover();
    await row.getByRole('button', { name: /^Delete/ }).click();
    await expectShown(page.getByText(/is not saved. Save it first/));
    expect(await asked(page, 'change-app-file')).toHaveLength(2);

    await page.getByRole('button', { name: 'New file' }).click();
    await page.keyboard.type('src/new.ts');
    await page.keyboard.press('Enter');
    await expectShown(page.locator('.cm-content'));
    expect((await asked(page, 'change-app-file')).at(-1)).toEqual({
      appId: 'app-1',
      change: { type: 'create', path: 'src/new.ts' },
    });
  });

  test('a search goes on with what is typed last, ends what it replaces, and opens what is chosen by keyboard', async () => {
    const page = await pages.open();
    await page.keyboard.press('Control+Shift+F');
    await page.getByRole('combobox').fill('slow');
    await inMain(page, (fake) => {
      fake.answers['search-files'] = ({ text }) =>
        text === 'slow' ? new Promise(() => {}) : { matches: [], cut: null, skipped: 0 };
    });
    await expect.poll(() => asked(page, 'search-files')).toHaveLength(1);
    await page.getByRole('combobox').fill('price');
    await expect.poll(() => asked(page, 'search-files')).toHaveLength(2);
    const [first] = (await asked(page, 'search-files')) as { searchId: string }[];
    expect(await asked(page, 'cancel-search')).toContainEqual({ searchId: first?.searchId });
    await inMain(page, (fake) => {
      delete fake.answers['search-files'];
    });
    await page.getByLabel('Match case').check();
    await expectShown(page.getByText('src/orders/part-3.ts:13'));
    expect(await page.locator('mark').allTextContents()).toEqual(Array.from({ length: 13 }, () => 'price'));
    await page.getByRole('combobox').press('ArrowDown');
    await page.getByRole('combobox').press('Enter');
    await expectShown(page.locator('.cm-content'));
    expect(await asked(page, 'read-app-file')).toContainEqual({ appId: 'app-1', path: 'src/orders/part-0.ts' });
  });

  test('a search that is refused says why, and the next one works', async () => {
    const page = await pages.open();
    await inMain(page, (fake) => {
      fake.answers['search-files'] = () => Promise.reject(new Error('This is not a regular expression'));
    });
    await page.keyboard.press('Control+Shift+F');
    await page.getByRole('combobox').fill('(');
    await expectShown(page.getByRole('alert'));
    await inMain(page, (fake) => {
      delete fake.answers['search-files'];
    });
    await page.getByRole('combobox').fill('(a');
    await expectShown(page.getByText('src/orders/part-3.ts:13'));
    await expectGone(page.getByRole('alert'));
  });

  const screens = {
    'a new app': 'New app',
    'the open app': 'Rename, copy',
    'deleted apps': 'Deleted apps',
    'the search': 'Search in files',
  };
  for (const theme of ['light', 'dark'] as const) {
    test.each(Object.entries(screens))(
      `%s has no fault for axe, and no sideways scroll, in ${theme}`,
      async (_, command) => {
        const page = await pages.open({ theme, window: { viewport: { width: 360, height: 740 } } });
        await choose(page, command);
        await expectShown(page.getByRole('dialog'));
        if (command === 'Search in files') {
          await page.getByRole('combobox').fill('price');
          await expectShown(page.getByText('src/orders/part-3.ts:13'));
        }
        expect(await violations(page)).toEqual([]);
        expect(
          await page.evaluate(() => {
            const parts = [document.documentElement, ...document.querySelectorAll('.ms-dialog, .ms-dialog-body')];
            return parts.filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => part.className);
          }),
        ).toEqual([]);
      },
    );
  }

  test('nothing was thrown in any of these pages', () => {
    expect(pages.problems).toEqual([]);
  });
});
