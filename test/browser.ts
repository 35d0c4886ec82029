import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const candidates = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const chromiumPath = process.env['CHROMIUM'] ?? candidates.find((path) => existsSync(path));

if (chromiumPath === undefined)
  console.warn('No Chromium here: the tests in a browser are skipped. See CONTRIBUTING.md.');

/** Whether there is a browser for the tests that need one. */
export const hasChromium = chromiumPath !== undefined;

const patienceMs = 120_000;

/** Debian's Chromium, in which each step may take as long as a test: a busy machine takes its time. */
export async function launchChromium(): Promise<Browser> {
  // Its own sandbox needs rights that a container often lacks; what it loads is ours.
  const browser = await chromium.launch({
    executablePath: chromiumPath as string,
    args: ['--no-sandbox'],
    timeout: patienceMs,
  });
  browser.on('context', (context) => context.setDefaultTimeout(patienceMs));
  return browser;
}
