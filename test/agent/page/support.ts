import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { launchChromium } from '../../browser.ts';
import type { FakeServer } from './fake/fake-server.ts';
import { openPage, serveFake } from './fake/serve.mjs';

type OpenOptions = NonNullable<Parameters<typeof openPage>[2]>;

export interface FakePage {
  open(options?: OpenOptions): Promise<Page>;
  /** What the pages threw or logged as an error. */
  problems: string[];
  browser: () => Browser;
  /** Where the server is. */
  origin: () => string;
}

/** One browser and one server for all tests of a group; each window is closed with its test. */
export function useFakePage(): FakePage {
  let browser: Browser;
  let server: Awaited<ReturnType<typeof serveFake>>;
  const problems: string[] = [];
  beforeAll(async () => {
    [server, browser] = await Promise.all([serveFake(), launchChromium()]);
    browser.on('context', (context) => {
      context.on('page', (page) => {
        page.on('pageerror', (error) => problems.push(String(error)));
        page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
      });
    });
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });
  return {
    problems,
    browser: () => browser,
    origin: () => server.origin,
    async open(options = {}) {
      const page = await openPage(browser, server.origin, options);
      onTestFinished(async () => page.context().close());
      return page;
    },
  };
}

/** Waits until it is to be seen. */
export async function expectShown(locator: Locator): Promise<void> {
  await locator.waitFor();
}

/** Waits until it is not there any more. */
export async function expectGone(locator: Locator): Promise<void> {
  await locator.waitFor({ state: 'detached' });
}

/** Works on the fake server in the page. What it gives back is sent as JSON. */
export async function inMain<T, Given = undefined>(
  page: Page,
  work: (fake: FakeServer, given: Given) => T,
  given?: Given,
): Promise<Awaited<T>> {
  const fake = await page.evaluateHandle('globalThis.fake');
  return (await fake.evaluate(work as (fake: unknown, given: unknown) => unknown, given)) as Awaited<T>;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

/** What axe objects to, as `rule: element`. */
export async function violations(page: Page): Promise<string[]> {
  // Not as a script of the page, which its policy forbids.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    // What is fading in has not its colour yet.
    await Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {})));
    const { violations } = await axe.run(document);
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  });
}
