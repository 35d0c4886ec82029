import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { buildPage } from '../../../packages/cards/gallery/build.mjs';
import { startServer } from '../../../packages/cards/gallery/server/server.mjs';
import { launchChromium } from '../../browser.ts';

export { hasChromium } from '../../browser.ts';

export interface Gallery {
  /** A new page of the gallery, closed with the gallery. What the page throws or logs as an error ends up in `problems`. */
  open(options?: BrowserContextOptions, query?: string): Promise<Page>;
  problems: string[];
  browser: () => Browser;
  /** Where the server is. */
  origin: () => string;
}

/** The gallery in a browser, for all tests of a group. `options` are those of the page's build. */
export function useGallery(options: Parameters<typeof buildPage>[0] = {}): Gallery {
  let browser: Browser;
  let server: Awaited<ReturnType<typeof startServer>>;
  const problems: string[] = [];
  beforeAll(async () => {
    [server, browser] = await Promise.all([buildPage(options).then((files) => startServer(files)), launchChromium()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
  return {
    problems,
    browser: () => browser,
    origin: () => server.origin,
    async open(options = {}, query = '') {
      const context = await browser.newContext({ locale: 'en-US', viewport: { width: 900, height: 900 }, ...options });
      // What moves in a page that is left open takes a tenth of a processor until the last test.
      onTestFinished(() => context.close());
      const page = await context.newPage();
      page.on('pageerror', (error) => problems.push(String(error)));
      page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
      await page.goto(`${server.origin}/?${query}`);
      await page.locator('#states .ms-card').first().waitFor();
      return page;
    },
  };
}

/** The card of a state of the gallery. */
export const sample = (name: string): string => `[data-sample="${name}"]`;
