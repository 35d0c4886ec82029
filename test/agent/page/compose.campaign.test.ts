import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../../browser.ts';
import { expectGone, expectShown, inMain, useFakePage, violations } from './support.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mP8z8BQz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC',
  'base64',
);

describe.skipIf(!hasChromium)('while a message is written', () => {
  const pages = useFakePage();
  const open = async (): Promise<Page> => {
    const page = await pages.open({ chat: 'chat-1' });
    await page.locator('.ma-message').first().waitFor();
    return page;
  };
  const asked = async (page: Page, name: string): Promise<unknown[]> =>
    inMain(page, (fake, name) => fake.asked.filter((call) => call.name === name).map(({ params }) => params), name);
  const chosen = async (page: Page): Promise<string | null> => {
    const id = await page.locator('#composer').getAttribute('aria-activedescendant');
    return id === null ? null : await page.locator(`[id="${id}"] bdi`).textContent();
  };

  test('@ completes files, folders, problems and versions by keyboard, and Enter then sends nothing', async () => {
    const page = await open();
    const box = page.locator('#composer');
    await box.pressSequentially('See @');
    await expect.poll(() => chosen(page)).toBe('@problems');
    await box.press('Enter');
    expect(await box.inputValue()).toBe('See @problems ');
    await box.pressSequentially('@part-3');
    await expect.poll(() => chosen(page)).toBe('src/part-3/');
    await box.press('ArrowDown');
    await expect.poll(() => chosen(page)).toBe('src/part-3/module-3.ts');
    await box.press('ArrowUp');
    await box.press('ArrowUp');
    await box.press('ArrowDown');
    await box.press('ArrowDown');
    await box.press('Tab');
    expect(await box.inputValue()).toBe('See @problems @src/part-3/module-3.ts ');
    await box.pressSequentially('@vers');
    await box.press('Enter');
    await box.pressSequentially('tidy');
    await expect.poll(() => chosen(page)).toBe('0b0b0b0');
    await box.press('Enter');
    expect(await box.inputValue()).toBe('See @problems @src/part-3/module-3.ts @version:0b0b0b0b0b ');
    expect(await asked(page, 'chat:stream')).toEqual([]);
    await box.press('Enter');
    await expect
      .poll(() => asked(page, 'chat:stream'))
      .toEqual([{ chatId: 'chat-1', text: 'See @problems @src/part-3/module-3.ts @version:0b0b0b0b0b ', uploads: [] }]);
  });

  test('Escape closes the list and nothing else; no list stands where nothing fits, and Enter sends then', async () => {
    const page = await open();
    const box = page.locator('#composer');
    const list = page.getByRole('listbox', { name: 'Suggestions' });
    await box.pressSequentially('@pro');
    await expectShown(list);
    expect(await violations(page)).toEqual([]);
    await box.press('Escape');
    await expectGone(list);
    await box.pressSequentially('b');
    expect(await list.count()).toBe(0);
    expect(await box.inputValue()).toBe('@prob');
    await box.fill('');
    await box.pressSequentially('mira@example.org, and @nothing-like-it');
    expect(await list.count()).toBe(0);
    await box.press('Enter');
    await expect.poll(async () => (await asked(page, 'chat:stream')).length).toBe(1);
    // A word that is begun anew has its list again, and it goes with the focus.
    await box.fill('');
    await box.pressSequentially('@pro');
    await expectShown(list);
    await page.getByRole('button', { name: 'Attach files' }).focus();
    await expectGone(list);
  });

  test('/ has commands, which are done and not sent, and the skills of the app', async () => {
    const page = await open();
    const box = page.locator('#composer');
    await box.pressSequentially('/bui');
    await expect.poll(() => chosen(page)).toBe('/build');
    await box.press('Enter');
    expect(await box.inputValue()).toBe('');
    await expect.poll(() => asked(page, 'update-chat')).toEqual([{ chatId: 'chat-1', mode: 'build' }]);
    await box.pressSequentially('/rel');
    await expectShown(page.getByRole('option', { name: /release.*How a version is made/ }));
    await box.press('Enter');
    expect(await box.inputValue()).toBe('/release ');
    await box.fill('');
    await box.pressSequentially('/context');
    await page.getByRole('option', { name: /context/ }).click();
    await expectShown(page.getByText('src/AGENTS.md goes into every prompt, too: 48 tokens. It is too long'));
    await expectShown(page.getByText('Skills: release. Type / in a message to use one.'));
    expect(await asked(page, 'chat:stream')).toEqual([]);
  });

  test('pictures that are picked, pasted or dropped are seen as pictures, and other files are not drawn', async () => {
    const page = await open();
    await page.locator('input[type=file]').setInputFiles([
      { name: 'picked.png', mimeType: 'image/png', buffer: png },
      { name: 'drawing.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') },
      { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no picture') },
    ]);
    await page.evaluate(
      (bytes) => {
        const transferOf = (name: string): DataTransfer => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([new Uint8Array(bytes)], name, { type: 'image/png' }));
          return transfer;
        };
        const box = document.querySelector('#composer')!;
        const options = { bubbles: true, cancelable: true };
        box.dispatchEvent(new ClipboardEvent('paste', { ...options, clipboardData: transferOf('pasted.png') }));
        for (const type of ['dragenter', 'dragover', 'drop']) {
          box.dispatchEvent(new DragEvent(type, { ...options, dataTransfer: transferOf('dropped.png') }));
        }
      },
      [...png],
    );
    const drawn = async (name: string): Promise<boolean> =>
      page
        .locator('.ms-chip', { hasText: name })
        .locator('img')
        .evaluateAll((images) => images.some((image) => (image as HTMLImageElement).naturalWidth === 10));
    for (const name of ['picked.png', 'pasted.png', 'dropped.png']) await expect.poll(() => drawn(name)).toBe(true);
    await expectShown(page.locator('.ms-chip', { hasText: 'drawing.svg' }));
    expect(await page.locator('.ms-chip', { hasText: 'drawing.svg' }).locator('img').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    expect(pages.problems).toEqual([]);
  });
});
