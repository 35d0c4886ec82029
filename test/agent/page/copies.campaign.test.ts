import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../../browser.ts';
import { expectGone, expectShown, inMain, useFakePage, violations } from './support.ts';

describe.skipIf(!hasChromium)('copies of an app', () => {
  const pages = useFakePage();
  const asked = async (page: Page, name: string): Promise<unknown[]> =>
    inMain(page, (fake, name) => fake.asked.filter((call) => call.name === name).map(({ params }) => params), name);
  const command = async (page: Page, text: string): Promise<void> => {
    await page.keyboard.press('Control+K');
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  };
  /** A page on which the copy is open, with the dialog of its commits. */
  const inCopy = async (options: Parameters<typeof pages.open>[0] = {}): Promise<Page> => {
    const page = await pages.open({ apps: 3, ...options });
    await expectShown(page.locator('#composer'));
    await command(page, 'shop · mustard');
    await expect.poll(async () => (await asked(page, 'list-chats')).at(-1)).toEqual({ appId: 'app-3' });
    return page;
  };
  const dialogOf = (page: Page) =>
    page.getByRole('dialog', { name: 'What “shop · mustard/errors-of-monday” has done', exact: true });

  test('stand below their app on the list', async () => {
    const page = await pages.open({ apps: 3 });
    const names = await page.getByRole('combobox', { name: 'App' }).locator('option').allTextContents();
    expect(names.slice(0, 3)).toEqual(['shop', '\u2003shop · mustard/errors-of-monday', 'logs']);
  });

  test('the chat goes on in one when that is pressed, after what is copied was said; all by keyboard', async () => {
    const page = await pages.open({ apps: 2 });
    await expectShown(page.locator('#composer'));
    await command(page, 'Work in a copy');
    const dialog = page.getByRole('dialog', { name: 'Work in a copy of “shop”' });
    await expectShown(dialog.getByText(/Copies \/home\/mira\/shop with its history/));
    expect(await asked(page, 'work-in-copy')).toEqual([]);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Close');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expectGone(dialog);
    await expectShown(page.getByText('The chat goes on in “shop · mustard/errors-of-monday”'));
    expect(await asked(page, 'work-in-copy')).toMatchObject([{ chatId: expect.any(String) }]);
    await expect.poll(async () => (await asked(page, 'list-chats')).at(-1)).toEqual({ appId: 'app-3' });
  });

  test('a window that shows the chat goes along, and others drop it from their list', async () => {
    const page = await pages.open({ apps: 3, chat: 'build', plain: true });
    const rows = page.getByRole('group', { name: 'Chats' }).getByRole('button', { name: /^Rename/ });
    await expect.poll(() => rows.count()).toBe(2);
    const moved = async (chatId: string): Promise<void> => {
      await inMain(
        page,
        async (fake, chatId) => {
          const { chat } = await fake.invoke('get-chat', { chatId });
          fake.tell('chat:changed', { chat: { ...chat, appId: 'app-3' } });
        },
        chatId,
      );
    };
    await moved('chat-1');
    await expect.poll(() => rows.count()).toBe(1);
    expect(await asked(page, 'list-chats')).toEqual([{ appId: 'app-1' }]);
    await moved('build');
    await expect.poll(async () => (await asked(page, 'list-chats')).at(-1)).toEqual({ appId: 'app-3' });
    expect(await page.getByRole('combobox', { name: 'App' }).inputValue()).toBe('app-3');
  });

  test('while it is copied, Cancel ends that, and an error is said where it is', async () => {
    const page = await pages.open({ apps: 2 });
    await expectShown(page.locator('#composer'));
    await inMain(page, (fake) => {
      fake.answers['work-in-copy'] = () => new Promise(() => {});
    });
    await command(page, 'Work in a copy');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Make the copy' }).click();
    await expectShown(dialog.getByRole('status').getByText('The app is being copied.'));
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await asked(page, 'cancel-git')).toHaveLength(1);
    await page.keyboard.press('Escape');
    await expectGone(dialog);
    await inMain(page, (fake) => {
      fake.answers['work-in-copy'] = () => Promise.reject(new Error('The disk is full. Free some room.'));
    });
    await command(page, 'Work in a copy');
    await dialog.getByRole('button', { name: 'Make the copy' }).click();
    await expectShown(dialog.getByText('The disk is full.'));
  });

  test('the commits are shown first; just those are brought in, which can be taken back', async () => {
    const page = await inCopy();
    await command(page, 'Bring into shop');
    const dialog = dialogOf(page);
    await expectShown(dialog.getByText('2 commits that shop does not have'));
    await expectShown(
      dialog.getByText('From the branch mustard/errors-of-monday of the copy into the branch main of shop'),
    );
    expect(await asked(page, 'bring-in-copy')).toEqual([]);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Close');
    expect(await violations(page)).toEqual([]);
    await inMain(page, (fake) => {
      const [ours, theirs] = ['2'.repeat(40), '2'.repeat(40)];
      const more = { branch: 'mustard/errors-of-monday', into: 'main', uncommitted: 0 };
      fake.answers['compare-copy'] = () => ({ ours, theirs, incoming: { count: 0, shown: [] }, ...more });
    });
    await dialog.getByRole('button', { name: 'Bring in 2 commits' }).click();
    await expectShown(dialog.getByText('shop has all commits of the copy.'));
    const [ours, theirs] = ['1'.repeat(40), '2'.repeat(40)];
    const agreed = { appId: 'app-3', branch: 'mustard/errors-of-monday', into: 'main', ours, theirs };
    expect(await asked(page, 'bring-in-copy')).toMatchObject([agreed]);
    await page.keyboard.press('Escape');
    await expectGone(dialog);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect.poll(() => asked(page, 'undo-join')).toEqual([{ appId: 'app-1', commit: theirs }]);
  });

  test('what is in no commit is said, and committed when that is pressed; conflicts are named', async () => {
    const page = await inCopy();
    await inMain(page, (fake) => {
      const [ours, theirs] = ['1'.repeat(40), '2'.repeat(40)];
      const shown = [{ commit: theirs, subject: 'x <img src=x onerror=alert(1)> \u202Egnp.exe', author: 'Mira' }];
      const more = { branch: 'mustard/errors-of-monday', into: 'main', incoming: { count: 1, shown } };
      fake.answers['compare-copy'] = () => ({ ours, theirs, uncommitted: 3, ...more });
      fake.answers['bring-in-copy'] = () => ({ outcome: 'conflicts', files: ['src/<b>a</b>.ts'] });
    });
    await command(page, 'Bring into shop');
    const dialog = dialogOf(page);
    await expectShown(dialog.getByText(/3 files of the copy have changes that are in no commit/));
    await expectShown(dialog.getByText(/and what shop does not have/));
    await dialog.getByRole('button', { name: 'Commit them' }).click();
    await expect.poll(() => asked(page, 'commit-copy')).toEqual([{ appId: 'app-3' }]);
    await expect.poll(async () => (await asked(page, 'compare-copy')).length).toBe(2);
    await dialog.getByRole('button', { name: 'Bring in 1 commit' }).click();
    await expectShown(dialog.getByText('src/<b>a</b>.ts'));
    expect(await violations(page)).toEqual([]);
  });

  test('its deletion as an app says where to look first', async () => {
    const page = await inCopy();
    await command(page, 'Rename, copy or delete “shop · mustard');
    await expectShown(page.getByRole('dialog').getByText(/“Bring into shop…” in the tab Versions shows/));
  });

  test('the removal opens the app again and can be taken back', async () => {
    const page = await inCopy();
    await command(page, 'Bring into shop');
    const dialog = dialogOf(page);
    await inMain(page, (fake) => {
      fake.answers['delete-app'] = ({ appId }) => {
        fake.tell('app:removed', { appId });
        const [name, from, path] = ['shop', '/home/mira/shop', '/home/mira/deleted/shop'];
        return { id: appId, name, from, path, deletedAt: '2026-03-02T10:15:00.000Z' };
      };
    });
    await dialog.getByRole('button', { name: 'Remove the copy' }).click();
    await expectGone(dialog);
    expect(await asked(page, 'delete-app')).toEqual([{ appId: 'app-3' }]);
    expect(await page.getByRole('combobox', { name: 'App' }).inputValue()).toBe('app-1');
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect.poll(() => asked(page, 'restore-app')).toEqual([{ appId: 'app-3' }]);
  });

  test('fits into a narrow window, in both themes', async () => {
    for (const theme of ['light', 'dark'] as const) {
      const page = await inCopy({ theme, window: { viewport: { width: 360, height: 740 } } });
      await command(page, 'Bring into shop');
      await expectShown(dialogOf(page).getByText('2 commits that shop does not have'));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wide).toBeLessThanOrEqual(0);
      expect(await violations(page)).toEqual([]);
    }
  });

  test('no page throws', () => {
    expect(pages.problems).toEqual([]);
  });
});
