import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parseChart, pngOf, svgOf, type Chart } from '@mustard-sandbox/charts/files';
import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { hasChromium, launchChromium } from '../browser.ts';

const chartOf = (chart: object): Chart => parseChart(JSON.stringify({ version: 1, ...chart }));
const names = (label: string, values: string[]) => ({ label, scale: 'category', values });
const numbers = (label: string, values: (number | null)[]) => ({ label, scale: 'linear', values });
const list = <T>(length: number, value: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => value(index));

const charts: Record<string, Chart> = {
  bar: chartOf({ type: 'bar', title: 'Sales', x: names('region', ['north', 'south']), y: numbers('€', [12, 30]) }),
  line: chartOf({
    type: 'line',
    x: { label: 'hour', scale: 'time', values: list(48, (at) => 1_772_000_000_000 + (at % 24) * 3_600_000) },
    y: numbers(
      'errors',
      list(48, (at) => (at === 7 ? null : (at * 7) % 11)),
    ),
    color: names(
      'code',
      list(48, (at) => `E${at < 24 ? 1 : 2}`),
    ),
  }),
  area: chartOf({
    type: 'area',
    x: numbers('x', [0, 1, 2, 0, 1, 2]),
    y: numbers('y', [1, 2, 3, 3, 1, 2]),
    color: names('k', ['a', 'a', 'a', 'b', 'b', 'b']),
  }),
  scatter: chartOf({
    type: 'scatter',
    x: numbers(
      'x',
      list(90, (at) => (at * 31) % 97),
    ),
    y: numbers(
      'y',
      list(90, (at) => (at * 17) % 89),
    ),
    color: numbers(
      'z',
      list(90, (at) => at),
    ),
  }),
  histogram: chartOf({
    type: 'histogram',
    x: numbers(
      'x',
      list(200, (at) => (at * at) % 83),
    ),
  }),
  heatmap: chartOf({
    type: 'heatmap',
    x: names('x', ['a', 'b', 'a', 'b']),
    y: names('y', ['q', 'q', 'r', 'r']),
    color: numbers('z', [1, 5, 3, 2]),
  }),
  box: chartOf({
    type: 'box',
    x: names(
      'g',
      list(60, (at) => `group ${at % 3}`),
    ),
    y: numbers(
      'v',
      list(60, (at) => (at * 13) % 41),
    ),
  }),
  'turned names': chartOf({
    type: 'bar',
    x: names(
      'name',
      list(60, (at) => `customer ${at}`),
    ),
    y: numbers(
      'v',
      list(60, (at) => at),
    ),
  }),
  facets: chartOf({
    type: 'scatter',
    x: numbers(
      'x',
      list(40, (at) => at),
    ),
    y: numbers(
      'y',
      list(40, (at) => (at * 7) % 13),
    ),
    facet: names(
      'f',
      list(40, (at) => `part ${at % 5}`),
    ),
  }),
};

/** How many pixels of all differ by more than `most` of 255 in a colour. */
function difference(one: PNG, other: PNG, most: number): number {
  let count = 0;
  for (let at = 0; at < one.data.length; at += 4) {
    if ([0, 1, 2].some((channel) => Math.abs(one.data[at + channel]! - other.data[at + channel]!) > most)) count++;
  }
  return count / (one.width * one.height);
}

/** The letters of the PNG, for Chromium, which would take those of this machine. */
async function fontFace(style: string, weight: number): Promise<string> {
  const path = createRequire(import.meta.resolve('@mustard-sandbox/charts/files')).resolve(
    `roboto-fontface/fonts/roboto/Roboto-${style}.woff2`,
  );
  const data = (await readFile(path)).toString('base64');
  return `@font-face { font-family: letters; font-weight: ${weight}; src: url(data:font/woff2;base64,${data}) }`;
}

test.skipIf(!hasChromium)('a PNG is what Chromium makes of the SVG', async () => {
  await using browser = await launchChromium();
  const page = await browser.newPage({ deviceScaleFactor: 2, viewport: { width: 800, height: 1400 } });
  const differences: Record<string, number> = {};
  const faces = [await fontFace('Regular', 400), await fontFace('Medium', 600)].join('\n');
  const style = `<style>${faces} body { margin: 0 } svg { font-family: letters }</style>`;
  for (const [name, chart] of Object.entries(charts)) {
    await page.setContent(`${style}${svgOf(chart)}`);
    expect(await page.evaluate(`document.fonts.ready.then((fonts) => fonts.check('12px letters'))`)).toBe(true);
    const expected = PNG.sync.read(await page.locator('svg').screenshot());
    const png = PNG.sync.read(Buffer.from(await pngOf(chart)));
    expect([png.width, png.height]).toEqual([expected.width, expected.height]);
    differences[name] = difference(png, expected, 48);
  }
  // Edges of letters are smoothed in another way.
  expect(Object.entries(differences).filter(([, share]) => share > 0.01)).toEqual([]);
});
