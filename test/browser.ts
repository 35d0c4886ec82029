import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';

const candidates = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const chromiumPath = process.env['CHROMIUM'] ?? candidates.find((path) => existsSync(path));

if (chromiumPath === undefined)
  console.warn('No Chromium here: the tests in a browser are skipped. See CONTRIBUTING.md.');

/** Whether there is a browser for the tests that need one. */
export const hasChromium = chromiumPath !== undefined;

const patienceMs = 120_000;
/** `CHROMIUM_SLOWDOWN=10`: how many times slower than this machine. */
const slowdown = Number(process.env['CHROMIUM_SLOWDOWN'] ?? 1);

/** Debian's Chromium, in which each step may take as long as a test: a busy machine takes its time. */
export async function launchChromium(): Promise<Browser> {
  // Its own sandbox needs rights that a container often lacks; what it loads is ours.
  const browser = await chromium.launch({
    executablePath: chromiumPath as string,
    args: ['--no-sandbox'],
    timeout: patienceMs,
  });
  browser.on('context', (context) => {
    context.setDefaultTimeout(patienceMs);
    if (slowdown > 1) context.on('page', (page) => void throttle(page));
  });
  return browser;
}

/** Has the page compute as on a slower machine: what is a race there fails here too. */
async function throttle(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
}
