import { SandboxError } from '../errors.ts';
import { quote } from '../text.ts';
import { channelNames, chartLimits, type Chart, type ChartScale, type ChartType, type ChannelName } from './schema.ts';

interface Rule {
  /** Which scales it takes, the one that is meant first; none: it has no such column. */
  scales: Partial<Record<ChannelName, readonly ChartScale[]>>;
  needs: readonly ChannelName[];
}

const anyAxis = ['linear', 'log', 'time', 'category'] as const;
const groups = { color: ['category'], facet: ['category'] } as const;

/** What each type of chart takes. A bar or an area begins at 0, which no logarithm has. */
export const chartRules: Record<ChartType, Rule> = {
  line: { scales: { x: anyAxis, y: ['linear', 'log'], ...groups }, needs: ['x', 'y'] },
  area: { scales: { x: ['linear', 'time', 'category'], y: ['linear'], ...groups }, needs: ['x', 'y'] },
  bar: { scales: { x: ['category', 'linear'], y: ['linear', 'category'], ...groups }, needs: ['x', 'y'] },
  scatter: {
    scales: { x: anyAxis, y: anyAxis, color: ['category', 'linear'], facet: ['category'] },
    needs: ['x', 'y'],
  },
  histogram: { scales: { x: ['linear', 'time'], ...groups }, needs: ['x'] },
  heatmap: {
    scales: { x: ['category'], y: ['category'], color: ['linear'], facet: ['category'] },
    needs: ['x', 'y', 'color'],
  },
  box: { scales: { x: ['category'], y: ['linear', 'log'], facet: ['category'] }, needs: ['y'] },
};

/**
 * Checks what the schema of a chart cannot say.
 *
 * @throws {SandboxError} `invalid_request` that names the column, and the row by its position from 0
 */
export function checkChart(chart: Chart): Chart {
  const { type } = chart;
  const { scales, needs } = chartRules[type];
  const length = lengthOf(chart);
  if (length === 0) throw invalid('data', 'it has no rows, so there is nothing to draw');
  for (const name of channelNames) {
    const channel = chart[name];
    const taken = scales[name];
    if (channel === undefined) {
      if (needs.includes(name)) throw invalid(name, `a ${type} needs it`);
      continue;
    }
    if (taken === undefined) throw invalid(name, `a ${type} has none`);
    if (!taken.includes(channel.scale)) {
      throw invalid(name, `its scale is '${channel.scale}', and a ${type} takes ${listed(taken)} there`);
    }
    if (channel.values.length !== length) throw invalid(name, 'it has not as many values as the others');
    checkValues(name, channel);
  }
  checkTogether(chart);
  return chart;
}

/** How many points it has. */
export function lengthOf({ x, y }: Pick<Chart, 'x' | 'y'>): number {
  return (x ?? y)?.values.length ?? 0;
}

/** The most names that a column may have. */
const mostNames: Record<ChannelName, number> = {
  x: chartLimits.categories,
  y: chartLimits.categories,
  color: chartLimits.colors,
  facet: chartLimits.facets,
};

function checkValues(name: ChannelName, { label, scale, values }: NonNullable<Chart[ChannelName]>): void {
  const isPlace = scale === 'time' ? isTime : isAmount;
  const other = scale === 'category' ? -1 : values.findIndex((value) => value !== null && !isPlace(value));
  if (other !== -1) throw invalid(name, `row ${other} has ${values[other]}, which no axis can show`);
  if (scale === 'log') {
    const row = values.findIndex((value) => value !== null && value <= 0);
    if (row === -1) return;
    throw invalid(name, `row ${row} has ${values[row]}, and a scale 'log' needs more than 0: leave such rows out`);
  }
  if (scale !== 'category') return;
  const count = new Set(values).size;
  if (count <= mostNames[name]) return;
  const advice = 'Keep the largest, and sum the others up as one';
  throw invalid(
    name,
    `${quote(label)} has ${count} different values, and at most ${mostNames[name]} can be shown. ${advice}`,
  );
}

/** Between these sizes the steps of an axis can be computed, and differences are finite. */
function isAmount(value: number): boolean {
  return value === 0 || (Math.abs(value) >= 1e-100 && Math.abs(value) <= 1e100);
}

/** See ECMAScript, "Time Values". */
function isTime(value: number): boolean {
  return Math.abs(value) <= 8.64e15;
}

function checkTogether(chart: Chart): void {
  const { type, x, y } = chart;
  if (type === 'bar' && x?.scale === y?.scale) {
    throw invalid('y', "one of x and y must be numbers, and the other one names (scale 'category')");
  }
  if (chart.bins !== undefined && type !== 'histogram') throw invalid('bins', `a ${type} has none`);
  if (type === 'heatmap') checkCells(chart);
}

/** Two numbers in one place would hide each other. */
function checkCells({ x, y, facet }: Chart): void {
  const seen = new Map<string, number>();
  x?.values.forEach((value, row) => {
    const place = JSON.stringify([value, y?.values[row], facet?.values[row]]);
    const before = seen.get(place);
    if (before !== undefined) throw invalid('data', `rows ${before} and ${row} are the same cell: sum them up first`);
    seen.set(place, row);
  });
}

function listed(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(' or ');
}

function invalid(field: string, why: string): SandboxError {
  return new SandboxError('invalid_request', `chart: ${field}: ${why}.`, {
    details: { problems: [`${field}: ${why}`] },
  });
}
