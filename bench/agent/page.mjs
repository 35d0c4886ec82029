// A long chat in the page itself: from the click to its last message on the screen.
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { startProgram } from '../../packages/desktop-agent/dist/server/program.js';
import { addTurns } from './turns.mjs';

const rounds = 7;
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = process.env['CHROMIUM'] ?? places.find((path) => existsSync(path));

/** @returns the title of the figures, the least that could be done, and the samples by name; `null` without a browser */
export async function measurePage() {
  if (executablePath === undefined) return null;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-bench-page-')));
  const program = await startProgram({ dataDir: join(folder, 'data') });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const { apps, chats } = program.services;
    const app = await apps.add('app', folder);
    for (const [title, turns] of /** @type {const} */ ([
      ['Short', 1],
      ['Long', 500],
    ])) {
      await addTurns(chats, (await chats.create({ appId: app.id, title, mode: 'ask' })).id, turns);
    }
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await page.goto(`${program.url}&app=${app.id}`);
    /** @type {Record<string, number[]>} */
    const samples = { 'a chat of 2 messages': [], 'a chat of 1,000': [] };
    for (let round = 0; round <= rounds; round++) {
      const short = await opened(page, 'Short', 'Answer 0.');
      const long = await opened(page, 'Long', 'Answer 499.');
      if (round === 0) continue;
      samples['a chat of 2 messages']?.push(short);
      samples['a chat of 1,000']?.push(long);
    }
    return { title: 'A chat in the page, from the click to its last message', least: 'a chat of 2 messages', samples };
  } finally {
    await browser.close();
    await program.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {import('playwright-core').Page} page */
async function opened(page, title, last) {
  const row = page.locator('.ma-chat-name', { hasText: title });
  return await row.evaluate(async (/** @type {any} */ button, words) => {
    const { document, requestAnimationFrame } = /** @type {any} */ (globalThis);
    const startedAt = performance.now();
    const isShown = () => document.querySelector('.ma-messages')?.textContent.includes(words) === true;
    button.click();
    while (!isShown()) await new Promise((resolve) => requestAnimationFrame(resolve));
    return performance.now() - startedAt;
  }, last);
}
