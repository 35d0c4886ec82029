import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type CDPSession } from 'playwright-core';

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
    if (slowdown > 1) slowDown(context);
  });
  return browser;
}

/** Has the pages compute as on a slower machine: what is a race there fails here too. */
function slowDown(context: BrowserContext): void {
  const sessions: CDPSession[] = [];
  const setRate = async (session: CDPSession, rate: number): Promise<unknown> =>
    session.send('Emulation.setCPUThrottlingRate', { rate }).catch(() => undefined);
  context.on('page', async (page) => {
    const session = await context.newCDPSession(page);
    sessions.push(session);
    await setRate(session, slowdown);
  });
  // What slows a page down outlives the page, and keeps a processor busy.
  const close = context.close.bind(context);
  context.close = async (options) => {
    await Promise.all(sessions.map(async (session) => setRate(session, 1)));
    await close(options);
  };
}
