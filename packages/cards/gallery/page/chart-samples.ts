import type { Chart } from '@mustard-sandbox/charts';
import type { Run } from '../../src/index.ts';
import { result } from './samples.ts';

const hour = 3_600_000;
const start = Date.UTC(2026, 2, 1);
const list = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index));
const names = (label: string, values: string[]) => ({ label, scale: 'category' as const, values });
const numbers = (label: string, values: (number | null)[], scale: 'linear' | 'log' | 'time' = 'linear') => ({
  label,
  scale,
  values,
});

const codes = ['E4004', 'E1001', 'E7007'];
const perHour = codes.flatMap((code, series) =>
  list(48, (index) => ({
    code,
    at: start + index * hour,
    errors: Math.round(60 + 45 * Math.sin(index / 6 + series * 2)),
  })),
);
const noise = (index: number, by: number): number => ((index * by) % 9_973) / 9_973;
const bell = (index: number): number => noise(index, 7_919) + noise(index, 5_417) + noise(index, 3_301);
const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const services = ['api', 'web', 'queue', 'mail', 'search'];
const hostile = '"><img src=x onerror=globalThis.pwned=true><script>globalThis.pwned=true</script>';

const samples: Record<string, Chart> = {
  line: {
    version: 1,
    type: 'line',
    title: 'Errors per hour',
    x: numbers(
      'hour',
      perHour.map(({ at }) => at),
      'time',
    ),
    y: numbers(
      'errors',
      perHour.map(({ errors }, index) => (index === 20 ? null : errors)),
    ),
    color: names(
      'code',
      perHour.map(({ code }) => code),
    ),
  },
  area: {
    version: 1,
    type: 'area',
    title: 'Errors per hour, by code',
    x: numbers(
      'hour',
      perHour.map(({ at }) => at),
      'time',
    ),
    y: numbers(
      'errors',
      perHour.map(({ errors }) => errors),
    ),
    color: names(
      'code',
      perHour.map(({ code }) => code),
    ),
  },
  bar: {
    version: 1,
    type: 'bar',
    x: names('region', ['north', 'south', 'east', 'west', 'overseas and everything else']),
    y: numbers('revenue', [41_213, 29_004, 12_950, -8_411, 933]),
  },
  'bars to the side': {
    version: 1,
    type: 'bar',
    title: 'The slowest pages',
    x: numbers('ms', [1_900, 1_412, 733, 91]),
    y: names('path', ['/api/v1/invoices/export', '/api/v1/orders', '/login', '/']),
  },
  scatter: {
    version: 1,
    type: 'scatter',
    title: 'Size and time of 10,000 requests',
    x: numbers(
      'bytes',
      list(10_000, (index) => Math.round(200 + 9_000 * noise(index, 7_919))),
    ),
    y: numbers(
      'ms',
      list(10_000, (index) => 1 + Math.round(2_000 * noise(index, 104_729) ** 3)),
      'log',
    ),
    color: names(
      'status',
      list(10_000, (index) => ['200', '304', '500'][index % 3] as string),
    ),
  },
  histogram: {
    version: 1,
    type: 'histogram',
    title: 'Time of a request',
    x: numbers(
      'ms',
      list(3_000, (index) => Math.round(bell(index) * 200)),
    ),
  },
  'heat map': {
    version: 1,
    type: 'heatmap',
    title: 'Requests by day and hour',
    x: names(
      'hour',
      list(168, (index) => String(index % 24)),
    ),
    y: names(
      'day',
      list(168, (index) => days[Math.floor(index / 24)] as string),
    ),
    color: numbers(
      'requests',
      list(168, (index) => Math.round(500 * (1 + Math.sin((index % 24) / 4 - 2)))),
    ),
  },
  box: {
    version: 1,
    type: 'box',
    title: 'Time by service',
    x: names(
      'service',
      list(600, (index) => services[index % 5] as string),
    ),
    y: numbers(
      'ms',
      list(600, (index) => Math.round(bell(index) * 60 + (index % 5) * 25)),
    ),
  },
  facets: {
    version: 1,
    type: 'line',
    title: 'Errors per hour, by service',
    x: numbers(
      'hour',
      list(240, (index) => start + (index % 24) * hour),
      'time',
    ),
    y: numbers(
      'errors',
      list(240, (index) => Math.round(40 + 30 * Math.sin(index / 5))),
    ),
    color: names(
      'level',
      list(240, (index) => (Math.floor(index / 24) % 2 === 0 ? 'error' : 'warning')),
    ),
    facet: names(
      'service',
      list(240, (index) => services[Math.floor(index / 48)] as string),
    ),
  },
  'many names': {
    version: 1,
    type: 'bar',
    x: names(
      'customer',
      list(400, (index) => `customer number ${index + 1} of a long list`),
    ),
    y: numbers(
      'orders',
      list(400, (index) => 400 - index),
    ),
  },
  'hostile names': {
    version: 1,
    type: 'bar',
    title: hostile,
    x: names(hostile, [hostile, '\u202Etxt.exe\u0000\u001B[31m', 'שלום עולם', 'a name without an end '.repeat(100)]),
    y: numbers('</text><script>globalThis.pwned=true</script>', [4, 3, 2, 1]),
    color: names('kind', [hostile, '\u202Etxt.exe', 'שלום עולם', 'long '.repeat(100)]),
  },
  'no points': { version: 1, type: 'line', x: numbers('x', [null]), y: numbers('y', [null]) },
};

/** The files of the samples, by name. */
export const chartTexts: Record<string, string> = {
  ...Object.fromEntries(Object.entries(samples).map(([name, chart]) => [fileOf(name), JSON.stringify(chart)])),
  'broken.chart.json': '{"version":1,"type":"pie"}',
};

function fileOf(name: string): string {
  return `${name.replaceAll(' ', '-')}.chart.json`;
}

function kept(...files: string[]): Run {
  const outputs = files.map((name) => ({ name, size: chartTexts[name]?.length ?? 4_096, head: '' }));
  return result(JSON.stringify({ name: files[0], size: outputs[0]?.size }), {}, { description: 'A chart', outputs });
}

/** A card of each type of chart, and of what can go wrong. */
export const charts: Record<string, Run> = {
  ...Object.fromEntries(Object.keys(samples).map((name) => [`chart: ${name}`, kept(fileOf(name))])),
  'chart: broken': kept('broken.chart.json'),
  'chart: gone': kept('gone.chart.json'),
};
