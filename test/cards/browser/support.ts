import { existsSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { buildPage } from '../../../packages/cards/gallery/build.mjs';
import { startServer } from '../../../packages/cards/gallery/server/server.mjs';

const candidates = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const chromiumPath = process.env['CHROMIUM'] ?? candidates.find((path) => existsSync(path));

if (chromiumPath === undefined)
  console.warn('No Chromium here: the tests in a browser are skipped. See CONTRIBUTING.md.');

/** Whether there is a browser for the tests that need one. */
export const hasChromium = chromiumPath !== undefined;

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
    [server, browser] = await Promise.all([
      buildPage(options).then((files) => startServer(files)),
      // Its own sandbox needs rights that a container often lacks; what it loads is ours.
      chromium.launch({ executablePath: chromiumPath as string, args: ['--no-sandbox'] }),
    ]);
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
