import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../../browser.ts';
import { expectGone, expectShown, inMain, useFakePage } from './support.ts';

const lines = Array.from({ length: 60 }, (_, line) => `const line${line} = read_file('a.log', { start: ${line} });`);
const hunks = [{ oldStart: 0, newStart: 1, lines: lines.map((text) => ({ kind: 'added', text })) }];
const sources = lines.map((_, index) => ({ source: `file-${index}.log`, isPattern: false, files: 1, bytes: 1e6 }));
const files = lines.map((_, index) => ({ name: `file-${index}.log`, size: 1e6 }));
const kinds = [
  { kind: 'script', request: { script: lines.join('\n'), preview: '', description: 'Counts. '.repeat(60), files } },
  { kind: 'command', command: lines.join('\n') },
  { kind: 'write', title: 'Add one', files: [{ path: 'a', change: 'added', added: 60, removed: 0, hunks }] },
  { kind: 'size', summary: { totalBytes: 9e6, thresholdBytes: 1e6, truncateToBytes: 1e4, sources } },
];

describe.skipIf(!hasChromium)('a question that comes by itself', () => {
  const pages = useFakePage();
  const open = async (viewport = { width: 1280, height: 860 }): Promise<Page> => {
    const page = await pages.open({ window: { viewport } });
    await page.locator('.ma-message').first().waitFor();
    return page;
  };
  const ask = async (page: Page, kind: object = { kind: 'command', command: 'ls' }): Promise<void> => {
    await inMain(page, (fake, question) => fake.tell('question:asked', { question }), {
      id: 'q',
      chatId: 'chat-1',
      where: { app: 'billing', chat: 'Invoices' },
      ...kind,
    });
    await page.getByRole('dialog').waitFor();
  };
  const answers = async (page: Page): Promise<unknown[]> =>
    inMain(page, (fake) => fake.asked.filter(({ name }) => name === 'answer-question').map(({ params }) => params));
  /** The time of the page stands still from now on. */
  const stop = async (page: Page): Promise<void> => page.clock.pauseAt('2026-03-02T10:21:00.000Z');
  const isReady = (page: Page): Promise<string | null> =>
    page.getByRole('dialog').locator('[data-safe]').getAttribute('aria-disabled');
  const focused = (page: Page): Promise<string> =>
    page.evaluate(() => document.activeElement?.id || (document.activeElement?.textContent ?? ''));

  test('leaves the focus where a message is being written, and no letter of it is lost or an answer', async () => {
    const page = await open();
    const box = page.locator('#composer');
    await stop(page);
    await box.pressSequentially('And what a');
    await ask(page);
    await page.keyboard.type('bout Tuesday ? ');
    expect(await box.inputValue()).toBe('And what about Tuesday ? ');
    expect(await focused(page)).toBe('composer');
    await expectShown(page.getByText('Press Tab to reach these answers'));
    await page.keyboard.press('Escape');
    expect(await answers(page)).toEqual([]);
    await page.clock.runFor(600);
    await page.keyboard.press('y');
    // Long after it came, and not long after the last key.
    await page.clock.runFor(600);
    await page.keyboard.press('Escape');
    expect(await isReady(page)).toBe('true');
    expect(await answers(page)).toEqual([]);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Do not run');
    await expectGone(page.getByText('Press Tab to reach these answers'));
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    expect(await answers(page)).toEqual([]);
    await page.clock.runFor(100);
    await page.keyboard.press('Enter');
    await expect.poll(() => answers(page)).toEqual([{ id: 'q', answer: 'deny' }]);
    await expectGone(page.getByRole('dialog'));
    await page.clock.runFor(1);
    await expect.poll(() => focused(page)).toBe('composer');
    expect(await box.inputValue()).toBe('And what about Tuesday ? y');
  });

  test('takes the focus where nothing is written, and gives it back to the first letter', async () => {
    const page = await open();
    const box = page.locator('#composer');
    await box.focus();
    await stop(page);
    await ask(page);
    await expect.poll(() => focused(page)).toBe('Do not run');
    for (const key of ['Enter', 'Space', 'Escape']) await page.keyboard.press(key);
    await page.clock.runFor(650);
    for (const key of ['Enter', 'Space', 'Escape']) await page.keyboard.press(key);
    expect(await answers(page)).toEqual([]);
    await page.clock.runFor(100);
    expect(await isReady(page)).toBe('false');
    await page.keyboard.type('The next message');
    expect(await box.inputValue()).toBe('The next message');
    expect(await answers(page)).toEqual([]);
    await page.clock.runFor(700);
    await page.keyboard.press('Escape');
    await expect.poll(() => answers(page)).toEqual([{ id: 'q', answer: 'deny' }]);
  });

  test('a letter that is typed over a file being edited goes into the file', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Show the panel' }).click();
    await page.getByRole('tab', { name: 'Files' }).click();
    await page.getByRole('button', { name: 'src/part-1/module-1.ts', exact: true }).click();
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('// mi');
    await ask(page);
    await page.keyboard.type('ne ');
    await expectShown(page.locator('.cm-content').getByText('// mine'));
    expect(await answers(page)).toEqual([]);
  });

  test('the focus is back where it was after questions of two kinds', async () => {
    const page = await open();
    await page.locator('#composer').focus();
    await inMain(page, (fake) => {
      fake.answers['answer-question'] = ({ id }) => fake.tell('question:closed', { id });
    });
    await ask(page);
    await inMain(page, (fake, question) => fake.tell('question:asked', { question }), {
      ...kinds[0],
      id: 'q2',
      chatId: 'chat-1',
    });
    for (const title of ['Run this command?', 'Run this script?']) {
      await page.getByText(title).waitFor();
      await page.locator('[data-safe][aria-disabled=false]').click();
    }
    await expectGone(page.getByRole('dialog'));
    await expect.poll(() => focused(page)).toBe('composer');
  });

  test.each([
    [1280, 560],
    [360, 740],
    [640, 320],
    [320, 480],
  ])('has all its answers in a window of %d × %d', async (width, height) => {
    const page = await open({ width, height });
    for (const [index, kind] of kinds.entries()) {
      const id = `q-${index}`;
      await ask(page, { ...kind, id });
      const buttons = page.locator('.ms-dialog-foot button');
      expect(await buttons.count()).toBe(3);
      for (const button of await buttons.all()) {
        const box = await button.boundingBox();
        expect(box).not.toBeNull();
        expect(box!.x >= 0 && box!.y >= 0 && box!.x + box!.width <= width && box!.y + box!.height <= height).toBe(true);
        // Nothing lies over it.
        await button.click({ trial: true });
      }
      await inMain(page, (fake, id) => fake.tell('question:closed', { id }), id);
      await expectGone(page.getByRole('dialog'));
    }
  });

  test('nothing was thrown or logged in all of this', () => expect(pages.problems).toEqual([]));
});
