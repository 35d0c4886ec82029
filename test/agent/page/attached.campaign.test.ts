import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { pictureIn, type Picture } from '../../../packages/desktop-agent/src/shared/picture.ts';
import { hasChromium } from '../../browser.ts';
import { expectGone, expectShown, useFakePage } from './support.ts';

/** What a browser makes of a drawing of that size. */
async function drawn(page: Page, mediaType: string, width: number, height: number): Promise<Uint8Array> {
  const bytes = await page.evaluate(
    async ([mediaType, width, height]) => {
      const canvas = Object.assign(document.createElement('canvas'), { width, height });
      const drawing = canvas.getContext('2d');
      drawing?.fillRect(0, 0, width / 2, height / 2);
      const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, mediaType));
      return [...new Uint8Array((await blob?.arrayBuffer()) ?? [])];
    },
    [mediaType, width, height] as const,
  );
  return Uint8Array.from(bytes);
}

describe.skipIf(!hasChromium)('pictures of messages', () => {
  const pages = useFakePage();
  const opened = async (): Promise<Page> => {
    const page = await pages.open({ chat: 'pictures' });
    await page.getByText('document.png').waitFor();
    return page;
  };

  test('a picture is a thumbnail, which opens large and closes by Escape', async () => {
    const page = await opened();
    const thumbnail = page.getByRole('button', { name: 'Open shop.png' });
    const natural = async (): Promise<number[]> =>
      thumbnail.locator('img').evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight]);
    await expect.poll(natural).toEqual([2, 1]);
    await thumbnail.click();
    await expectShown(page.getByRole('dialog').getByRole('img', { name: 'shop.png' }));
    await page.keyboard.press('Escape');
    await expectGone(page.getByRole('dialog'));
    await expect.poll(() => thumbnail.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('what is no picture, or has too many pixels, is a file like others, and is not drawn', async () => {
    const page = await opened();
    for (const name of ['bomb.png', 'document.png', 'empty.png']) {
      await expectShown(page.locator('.ms-chip', { hasText: name }));
      expect(await page.getByRole('button', { name: `Open ${name}` }).count()).toBe(0);
    }
    expect(await page.getByRole('article', { name: 'You' }).locator('img').count()).toBe(1);
    expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
  });

  test('in the composer, too, the bytes count, and not what the file says of itself', async () => {
    const page = await opened();
    const picture = Buffer.from(await drawn(page, 'image/webp', 30, 20));
    const script = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg"><script>globalThis.pwned = true</script></svg>',
    );
    await page.locator('input[type=file]').setInputFiles([
      { name: 'notes.txt', mimeType: 'text/plain', buffer: picture },
      { name: 'drawing.svg', mimeType: 'image/svg+xml', buffer: script },
      { name: 'drawing.png', mimeType: 'image/png', buffer: script },
    ]);
    const chips = page.locator('.ma-box .ms-chip');
    await expect.poll(() => chips.count()).toBe(3);
    await expectShown(chips.filter({ hasText: 'notes.txt' }).locator('img'));
    expect(await page.locator('.ma-box img').count()).toBe(1);
    expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
  });

  test.each(['image/png', 'image/jpeg', 'image/webp'])(
    '%s of a browser has the size that is read of it',
    async (type) => {
      const page = await opened();
      for (const [width, height] of [
        [1, 1],
        [640, 3],
        [257, 1999],
      ] as const) {
        const expected = { mediaType: type, width, height } as Picture;
        expect(pictureIn(await drawn(page, type, width, height))).toEqual(expected);
      }
    },
  );

  test('nothing was thrown, and the policy of the server refused nothing', () => expect(pages.problems).toEqual([]));
});
