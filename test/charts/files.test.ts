import { drawInTerminal, parseChart, svgOf, type Chart } from '@mustard-sandbox/charts/files';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyChart } from './arbitrary.ts';

const chartOf = (chart: object): Chart => parseChart(JSON.stringify({ version: 1, ...chart }));
const names = (label: string, values: string[]) => ({ label, scale: 'category', values });
const numbers = (label: string, values: (number | null)[]) => ({ label, scale: 'linear', values });
const bar = (values: Record<string, number>): Chart =>
  chartOf({ type: 'bar', x: names('k', Object.keys(values)), y: numbers('v', Object.values(values)) });

/** Shapes and text. Nothing that loads, links, scripts or styles. */
const elements = new Set(['svg', 'g', 'path', 'rect', 'text', 'tspan', 'line', 'circle']);
const attributes =
  /^(?:xmlns|class|id|x|y|x1|x2|y1|y2|dx|dy|d|r|cx|cy|width|height|viewBox|transform|fill|fill-opacity|stroke|stroke-[a-z]+|color|font-[a-z]+|text-anchor|role|aria-[a-z]+|opacity|data-mark)$/;

/** Reads the file as a sequence of tags and texts, and nothing else: a reader of its own, stricter than any browser. */
function tagsOf(svg: string): string[] {
  const tags: string[] = [];
  const token = /<(\/?)([a-zA-Z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*\/?>|[^<]+/gy;
  while (token.lastIndex < svg.length) {
    const at = token.lastIndex;
    const match = token.exec(svg);
    if (match === null) throw new Error(`no tag and no text: ${svg.slice(at, at + 80)}`);
    const [text, , name, given = ''] = match;
    if (name === undefined) {
      expect(text).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cs}\ufffe\uffff]/u);
      continue;
    }
    tags.push(name);
    expect(elements).toContain(name);
    for (const [, attribute = '', value = ''] of given.matchAll(/([\w:-]+)="([^"]*)"/g)) {
      expect(attribute).toMatch(attributes);
      expect(attribute === 'xmlns' ? '' : value.startsWith('url(') ? value : '').toBe('');
    }
  }
  return tags;
}

describe('SVG', () => {
  test('is shapes and text, whatever is in the data', () => {
    fc.assert(
      fc.property(anyChart, (chart) => {
        const svg = svgOf(chart);
        expect(tagsOf(svg)[0]).toBe('svg');
        expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      }),
      { numRuns: 60 },
    );
  });

  test('has a bar for each name, as high as its number', () => {
    const svg = svgOf(bar({ a: 1, b: 2, c: 4 }));
    const heights = [...svg.matchAll(/<rect [^>]*?height="([\d.]+)"/g)].map(([, height]) => Number(height));
    const [one, two, four] = heights as [number, number, number];
    // Each is drawn a pixel smaller, so that two that touch are two.
    expect((two + 1) / (one + 1)).toBeCloseTo(2, 1);
    expect((four + 1) / (one + 1)).toBeCloseTo(4, 1);
  });

  test('says what it shows', () => {
    const chart = chartOf({
      type: 'bar',
      title: 'Sales <2026>',
      x: names('region', ['n', 's']),
      y: numbers('€', [1, 2]),
    });
    const svg = svgOf(chart);
    expect(svg).toContain('aria-label="Sales &lt;2026&gt;: bar of 2 points. x is region: n, s. y is €, 1 to 2."');
    expect(svg).toContain('>Sales &lt;2026&gt;</text>');
  });

  test('50,000 points are one path', () => {
    const values = Array.from({ length: 50_000 }, (_, index) => (index * 7_919) % 9_973);
    const svg = svgOf(chartOf({ type: 'scatter', x: numbers('x', values), y: numbers('y', values.toReversed()) }));
    expect(tagsOf(svg).length).toBeLessThan(200);
    expect(svg.match(/M[\d.]+,[\d.]+h0/g)).toHaveLength(50_000);
  });

  test('400 names do not run into each other', () => {
    const svg = svgOf(bar(Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`customer ${index}`, index]))));
    expect(svg.match(/customer/g)!.length).toBeLessThan(70);
  });
});

/** Of the colours of series, and the end of one. */
const codes = [31, 32, 33, 34, 35, 36, 39];

describe('in a terminal', () => {
  test('no character of the data acts on it, and no line is much wider than it', () => {
    fc.assert(
      fc.property(anyChart, fc.integer({ min: 1, max: 200 }), fc.boolean(), (chart, columns, hasColors) => {
        const drawn = drawInTerminal(chart, { columns, hasColors });
        const plain = hasColors ? codes.reduce((text, code) => text.replaceAll(`\u001B[${code}m`, ''), drawn) : drawn;
        expect(plain).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
        expect(drawn).not.toMatch(/NaN|undefined/);
      }),
    );
  });

  test('a histogram of the last time there is has steps', () => {
    const last = { label: 'x', scale: 'time' as const, values: [8.64e15] };
    expect(drawInTerminal(chartOf({ type: 'histogram', x: last }), { columns: 60 })).toContain('+275760-09-13');
  });

  test('bars are as long as their numbers', () => {
    const lines = drawInTerminal(bar({ a: 10, bb: 20 }), { columns: 60 }).split('\n');
    expect(lines.map((line) => line.replaceAll(/█+/g, (run) => String(run.length)))).toEqual([
      ' a │22 10',
      'bb │44 20',
    ]);
  });

  test('a rising line rises', () => {
    const line = chartOf({ type: 'line', x: numbers('x', [0, 1]), y: numbers('y', [0, 10]) });
    const rows = drawInTerminal(line, { columns: 40 }).split('\n');
    const firstDots = rows.slice(0, 12).map((row) => row.search(/[⠁-⣿]/));
    expect(firstDots).toEqual(firstDots.toSorted((a, b) => b - a));
    expect(rows[0]).toMatch(/^10 │/);
    expect(rows.at(-1)).toMatch(/^\s+0 +1$/);
  });

  test('a histogram counts each value once', () => {
    const values = Array.from({ length: 97 }, (_, index) => index);
    const drawn = drawInTerminal(chartOf({ type: 'histogram', bins: 5, x: numbers('x', values) }), { columns: 80 });
    const counts = drawn.split('\n').map((line) => Number(line.split(' ').at(-1)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(97);
  });
});
