import { parseChart, svgOf } from '@mustard-sandbox/charts/files';
import { describe, expect, test } from 'vitest';
import type { Locator } from 'playwright-core';
import { hasChromium, sample, useGallery } from './support.ts';

const drawn = (card: Locator): Locator => card.locator('.ms-chart-drawing svg');

describe.skipIf(!hasChromium)('charts that a script has kept', () => {
  const gallery = useGallery();

  test.each([
    'line',
    'area',
    'bar',
    'bars to the side',
    'scatter',
    'histogram',
    'heat map',
    'box',
    'facets',
    'many names',
  ])('%s: drawn within its card in both themes, at both widths', async (name) => {
    for (const [theme, width] of [
      ['light', 900],
      ['dark', 360],
    ] as const) {
      const page = await gallery.open({ viewport: { width, height: 900 } }, `theme=${theme}`);
      const card = page.locator(sample(`chart: ${name}`));
      const svg = drawn(card);
      await svg.waitFor();
      const [inner, outer] = [await svg.boundingBox(), await card.boundingBox()];
      expect(inner!.x + inner!.width).toBeLessThanOrEqual(outer!.x + outer!.width);
      await expect.poll(() => svg.locator('path, rect, line').count()).toBeGreaterThan(2);
      // Black on a dark card would be a theme that was forgotten.
      const color = await svg.evaluate((element) => getComputedStyle(element).color);
      expect(color).toBe(theme === 'light' ? 'rgb(36, 34, 30)' : 'rgb(236, 233, 226)');
      await page.close();
    }
  });

  test('who does not see it hears what it shows, and finds its data in a table', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('chart: line'));
    const image = card.getByRole('img', {
      name: 'Errors per hour. Line chart · 144 points · hour: 2026-03-01 to 2026-03-02 23:00',
    });
    await image.waitFor();
    await card.getByRole('radio', { name: 'Table' }).check();
    await expect.poll(() => card.getByRole('table').getAttribute('aria-rowcount')).toBe('145');
    await expect
      .poll(async () => (await card.locator('[role=row][aria-rowindex="3"]').innerText()).split(/\s*\n\s*/))
      .toEqual(['2026-03-01 01:00', expect.any(String), 'E4004']);
  });

  test('a name of the legend hides its line and shows it again, by keyboard', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('chart: line'));
    await drawn(card).waitFor();
    const lines = (): Promise<number> => drawn(card).locator('g[data-mark=line] path').count();
    await expect.poll(lines).toBe(3);
    const entry = card.getByRole('button', { name: 'E1001' });
    await entry.focus();
    await page.keyboard.press('Enter');
    await expect.poll(lines).toBe(2);
    expect(await entry.getAttribute('aria-pressed')).toBe('false');
    await page.keyboard.press('Space');
    await expect.poll(lines).toBe(3);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('E1001');
  });

  test('all names can be hidden: what is left is axes', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('chart: scatter'));
    await drawn(card).waitFor();
    for (const name of ['200', '304', '500']) await card.getByRole('button', { name, exact: true }).click();
    await expect.poll(() => drawn(card).locator('path[stroke-linecap=round]').count()).toBe(0);
    await drawn(card).getByText('bytes').waitFor();
  });

  test('the pointer shows what is under it, as text', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('chart: heat map'));
    const svg = drawn(card);
    await svg.scrollIntoViewIfNeeded();
    const { width, height } = (await svg.boundingBox())!;
    await svg.hover({ position: { x: width / 2, y: height / 2 } });
    await expect
      .poll(() =>
        svg
          .locator('g[aria-label=tip]')
          .innerText()
          .catch(() => svg.locator('g[aria-label=tip]').textContent()),
      )
      .toMatch(/requests.*hour.*day/s);
  });

  test('10,000 points are few elements', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('chart: scatter'));
    await drawn(card).waitFor();
    expect(await drawn(card).locator('*').count()).toBeLessThan(150);
  });

  test('names that are markup are text, and what hides is shown', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('chart: hostile names'));
    await drawn(card).waitFor();
    const { width, height } = (await drawn(card).boundingBox())!;
    await drawn(card).hover({ position: { x: width / 3, y: height / 2 } });
    for (const text of ['<img src=x', '\\u{202e}txt']) await card.getByText(text).first().waitFor();
    await card.getByRole('radio', { name: 'Table' }).check();
    await card.getByRole('table').waitFor();
    expect(await card.locator('img, script, image, foreignObject, style, a').count()).toBe(0);
    expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
  });

  test('a file that is no chart says why, and its text can be read', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('chart: broken'));
    await card.getByText('{"version":1,"type":"pie"}').waitFor();
    expect(await card.getByRole('alert').innerText()).toMatch(/This file cannot be drawn as a chart\. chart: type: /);
  });

  test('a file that is gone says so, and can be tried again', async () => {
    const page = await gallery.open();
    const card = page.locator(sample('chart: gone'));
    await card.getByText('The chart gone.chart.json could not be read').waitFor();
    await card.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => card.getByText('The chart gone.chart.json could not be read').count()).toBe(1);
  });

  test('right to left, the page turns and the drawing does not', async () => {
    const page = await gallery.open({}, 'dir=rtl');
    const svg = drawn(page.locator(sample('chart: bars to the side')));
    await svg.waitFor();
    expect(await svg.evaluate((element) => getComputedStyle(element).direction)).toBe('ltr');
  });

  test('on paper it is dark on white', async () => {
    const page = await gallery.open({ colorScheme: 'dark' });
    const svg = drawn(page.locator(sample('chart: line')));
    await svg.waitFor();
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => svg.evaluate((element) => getComputedStyle(element).color)).toBe('rgb(36, 34, 30)');
  });

  test('an SVG file runs nothing when it is opened', async () => {
    const text = '"><script>globalThis.pwned=true</script><image href=x onerror=globalThis.pwned=true>]]>';
    const chart = {
      version: 1,
      type: 'bar',
      title: text,
      x: { label: text, scale: 'category', values: [text, `</text></svg>${text}`] },
      y: { label: text, scale: 'linear', values: [1, 2] },
      color: { label: text, scale: 'category', values: [text, `<svg onload=globalThis.pwned=true>`] },
    };
    const svg = svgOf(parseChart(JSON.stringify(chart)));
    const page = await gallery.open();
    const opened: string[] = [];
    page.on('request', (request) => opened.push(request.url()));
    await page.route('**/chart.svg', (route) => route.fulfill({ contentType: 'image/svg+xml', body: svg }));
    await page.goto(`${gallery.origin()}/chart.svg`);
    expect(await page.evaluate(() => document.documentElement.nodeName)).toBe('svg');
    expect(
      await page.evaluate(
        () => document.querySelectorAll('script, image, foreignObject, style, a, parsererror').length,
      ),
    ).toBe(0);
    expect(await page.evaluate(() => document.documentElement.textContent)).toContain(text.slice(0, 30));
    expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
    expect(opened).toEqual([`${gallery.origin()}/chart.svg`]);
  });

  test('nothing was thrown or logged in all of this', () => expect(gallery.problems).toEqual([]));
});
