// npm run bench:charts: how long a chart of 10,000 points takes from a click to the screen, in headless Chromium.
import { chromium } from 'playwright-core';
import { buildPage } from './build.mjs';
import { startServer } from './server/server.mjs';

const rounds = 15;
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const samples = ['chart: scatter', 'chart: line', 'chart: bar', 'chart: heat map'];

const server = await startServer(await buildPage());
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: { width: 900, height: 900 } });
  await page.goto(server.origin);
  for (const name of samples) {
    const card = page.locator(`[data-sample="${name}"]`);
    await card.locator('.ms-chart-drawing svg').waitFor();
    const times = await card.evaluate(measure, rounds);
    const [median, most] = [times[Math.floor(times.length / 2)], times.at(-1)];
    console.log(`${name}: median ${median.toFixed(0)} ms, at most ${most.toFixed(0)} ms of ${times.length}`);
  }
} finally {
  await browser.close();
  await server.close();
}

/**
 * Opens the card again and again. What is measured is all that stands between a person and the chart: reading and checking
 * its file, drawing, layout and paint, up to the frame after the one that has it.
 *
 * @param {Element} card
 * @param {number} rounds
 * @returns {Promise<number[]>} sorted, in ms
 */
async function measure(card, rounds) {
  const trigger = /** @type {HTMLElement} */ (card.querySelector('.ms-card-trigger'));
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const until = async (isThere) => {
    while ((card.querySelector('.ms-chart-drawing svg') !== null) !== isThere) await frame();
  };
  card.scrollIntoView();
  const times = [];
  // The first ones are of code that is not compiled yet.
  for (let round = -3; round < rounds; round++) {
    trigger.click();
    await until(false);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const begin = performance.now();
    trigger.click();
    await until(true);
    await frame();
    await new Promise((resolve) => setTimeout(resolve));
    if (round >= 0) times.push(performance.now() - begin);
  }
  return times.sort((a, b) => a - b);
}
