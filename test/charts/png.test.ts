import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseChart, pngOf, svgOf, type Chart } from '@mustard-sandbox/charts/files';
import fc from 'fast-check';
import { PNG } from 'pngjs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { library } from '../../packages/charts/src/png/library.ts';
import { pngOf as pngOfSource } from '../../packages/charts/src/png/png.ts';
import { anyChart } from './arbitrary.ts';

const chartOf = (chart: object): Chart => parseChart(JSON.stringify({ version: 1, ...chart }));
const names = (label: string, values: string[]) => ({ label, scale: 'category', values });
const numbers = (label: string, values: (number | null)[]) => ({ label, scale: 'linear', values });
const bar = (title: string, x = ['a', 'b', 'c']): Chart =>
  chartOf({ type: 'bar', title, x: names('k', x), y: numbers('v', x.length === 3 ? [1, 2, 4] : x.map(() => 1)) });

const drawn = async (chart: Chart): Promise<PNG> => PNG.sync.read(Buffer.from(await pngOf(chart)));
type Color = readonly [red: number, green: number, blue: number];

/** How many pixels are about of that colour, in the given rows. */
function countOf({ width, height, data }: PNG, [red, green, blue]: Color, from = 0, to = height): number {
  let count = 0;
  for (let at = from * width * 4; at < to * width * 4; at += 4) {
    const distance = Math.max(
      Math.abs(data[at]! - red),
      Math.abs(data[at + 1]! - green),
      Math.abs(data[at + 2]! - blue),
    );
    if (distance <= 8 && data[at + 3] === 255) count++;
  }
  return count;
}

const ink: Color = [0x24, 0x22, 0x1e];
const white: Color = [255, 255, 255];
const firstSeries: Color = [0xab, 0x73, 0x02];

describe('PNG', () => {
  test('is whole, opaque, on white and not blank, twice the size of the SVG, whatever is in the data', async () => {
    await fc.assert(
      fc.asyncProperty(anyChart, async (chart) => {
        const [, height, width] = /height="([\d.]+)" width="([\d.]+)"/.exec(svgOf(chart)) ?? [];
        const png = await drawn(chart);
        expect([png.width, png.height]).toEqual([Number(width) * 2, Math.ceil(Number(height) * 2)]);
        expect(Math.max(png.width, png.height)).toBeLessThanOrEqual(4096);
        for (let at = 3; at < png.data.length; at += 4) if (png.data[at] !== 255) throw new Error(`clear at ${at}`);
        const pixels = png.width * png.height;
        expect(countOf(png, white, 0, 1)).toBe(png.width);
        expect(countOf(png, white)).toBeLessThan(pixels);
      }),
      { numRuns: 40 },
    );
  });

  test('has a bar for each name, as high as its number', async () => {
    const png = await drawn(bar('t'));
    const heights = new Map<number, number>();
    for (let x = 0; x < png.width; x++) {
      let height = 0;
      for (let y = 0; y < png.height; y++) {
        const at = (y * png.width + x) * 4;
        if (png.data[at] === 0xab && png.data[at + 1] === 0x73 && png.data[at + 2] === 0x02) height++;
      }
      if (height > 0) heights.set(height, (heights.get(height) ?? 0) + 1);
    }
    // Other columns are those of edges.
    const [one, two, four] = [...heights].filter(([, columns]) => columns > 100).map(([height]) => height + 1);
    expect(two! / one!).toBeCloseTo(2, 1);
    expect(four! / one!).toBeCloseTo(4, 1);
  });

  test('has text, and thin lines of a grid behind it', async () => {
    const [without, one, twice] = await Promise.all(['', 'mmmm', 'mmmmmmmm'].map((title) => drawn(bar(title))));
    const head = 56;
    expect(countOf(without!, ink, 0, head)).toBeLessThan(20);
    const letters = countOf(one!, ink, 0, head);
    expect(letters).toBeGreaterThan(200);
    expect(countOf(twice!, ink, 0, head) / letters).toBeCloseTo(2, 0);
    // A tenth of the ink on white.
    expect(countOf(one!, [0xe9, 0xe9, 0xe9])).toBeGreaterThan(1000);
  });

  test('shows markup in the data as letters', async () => {
    const title = '</text><rect width="720" height="300" fill="#ff0000"/>';
    const png = await drawn(bar(title, ['<image href="file:///etc/passwd"/>', '&#60;b>', '"onload="']));
    expect(countOf(png, [255, 0, 0])).toBe(0);
    expect(countOf(png, ink, 0, 56)).toBeGreaterThan(500);
  });

  test.each(['line', 'area', 'scatter'])('draws 50,000 points that rise and fall as %s', async (type) => {
    const values = Array.from({ length: 50_000 }, (_, index) => (index * 7_919) % 9_973);
    const png = await drawn(chartOf({ type, x: numbers('x', values.map((_, at) => at)), y: numbers('y', values) })); // prettier-ignore
    expect(countOf(png, white)).toBeLessThan(png.width * png.height * 0.7);
  });

  test('draws the most names, facets and colours within its bounds', async () => {
    const length = 9_600;
    const of = (count: number, name: string) =>
      Array.from({ length }, (_, at) => `${name} ${at % count} ${'w'.repeat(90)}`);
    const png = await drawn(
      chartOf({
        type: 'bar',
        x: names('x', of(400, 'n')),
        y: numbers(
          'y',
          Array.from({ length }, (_, at) => at % 7),
        ),
        color: names('c', of(20, 'c')),
        facet: names('f', of(24, 'f')),
      }),
    );
    expect(Math.max(png.width, png.height)).toBeLessThanOrEqual(4096);
    expect(countOf(png, firstSeries)).toBeGreaterThan(10);
  });

  test('many at once do not mix, and leave nothing behind', async () => {
    const chart = bar('t');
    const [first] = await Promise.all([pngOf(chart), pngOf(bar('other')), pngOf(chart)]);
    for (let round = 0; round < 30; round++) expect(Buffer.compare(await pngOf(chart), first)).toBe(0);
  });

  test('is drawn again after a drawing that failed in WebAssembly', async () => {
    const { kit } = await library();
    kit.MakeSurface = () => {
      throw new Error('unreachable');
    };
    await expect(pngOfSource(bar('t'))).rejects.toThrow('unreachable');
    expect(await pngOfSource(bar('t'))).toEqual(await pngOf(bar('t')));
  });

  test('without its libraries says what to install, and SVG is drawn all the same', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'png-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const built = fileURLToPath(import.meta.resolve('@mustard-sandbox/charts/files'));
    copyFileSync(built, join(folder, 'files.mjs'));
    writeFileSync(
      join(folder, 'draw.mjs'),
      `import { parseChart, pngOf, svgOf } from './files.mjs';
      const chart = parseChart(${JSON.stringify(JSON.stringify(bar('t')))});
      const error = await pngOf(chart).catch((error) => error);
      console.log(JSON.stringify([svgOf(chart).slice(0, 4), error.code, error.message]));`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'draw.mjs')], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual([
      '<svg',
      'invalid_request',
      expect.stringContaining('npm install canvaskit-wasm@'),
    ]);
  });
});
