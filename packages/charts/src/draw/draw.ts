import { plot, type PlotOptions, type ScaleOptions } from '@observablehq/plot';
import type { Chart } from '@mustard-sandbox/protocol/chart';
import { factsOf } from '../facts.ts';
import { legendOf } from '../legend.ts';
import { namesOf } from '../names.ts';
import { bottomAxis, sideAxis } from './axes.ts';
import { marksOf } from './marks.ts';
import type { Palette } from './palette.ts';
import { pointsOf, type Points } from './points.ts';

/** How to draw a chart. Sizes are in pixels. */
export interface DrawOptions {
  width: number;
  palette: Palette;
  /** Names of the legend whose points are left out, as `legendOf` returns them. */
  hidden?: ReadonlySet<string>;
  /** Whether a tooltip shows the data under the pointer. */
  isInteractive?: boolean;
  /** What a screen reader says about the chart. */
  label?: string;
  /** The document to create elements in. The default is that of the page. */
  document?: Document;
}

const plainHeight = 220;
const facetHeight = 150;
const rowHeight = 18;
const maxHeight = 640;
const marginRight = 16;

/**
 * Draws a chart that `parseChart` has checked. The drawing has only shapes and text. No data becomes markup, an address or a
 * style.
 */
export function drawChart(chart: Chart, options: DrawOptions): SVGSVGElement {
  const { width, palette, hidden, isInteractive = false, label, document } = options;
  const points = pointsOf(chart, width, hidden);
  const svg = plot({
    ...layoutOf(chart, points, width),
    className: 'mustard-chart',
    color: colorOf(chart, palette),
    marks: marksOf({ chart, points, width, color: palette.series[0] as string, isInteractive }),
    ...(document !== undefined && { document }),
  }) as SVGSVGElement;
  // A style element would need a policy that allows inline styles.
  svg.querySelector('style')?.remove();
  // Plot labels its groups, which have no role. The picture has one label, and a table beside it.
  for (const group of svg.querySelectorAll('g[aria-label]')) {
    group.setAttribute('data-mark', group.getAttribute('aria-label') as string);
    group.removeAttribute('aria-label');
  }
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', label ?? factsOf(chart).title ?? chart.type);
  return svg;
}

function layoutOf(chart: Chart, { grid }: Points, width: number): PlotOptions {
  const { x, y, type } = chart;
  const height = Math.round(grid === undefined ? heightOf(chart) : grid.rows * facetHeight + 40);
  const isBand = type === 'bar' || type === 'heatmap' || type === 'box';
  const side = y && sideAxis(y, { width, height: height / (grid?.rows ?? 1) - 40 }, isBand);
  const marginLeft = (side?.room ?? 30) + (y?.scale === 'category' ? 30 : 16);
  const bottom = x && bottomAxis(x, (width - marginLeft - marginRight) / (grid?.columns ?? 1), isBand);
  const { room = 0, overhang = 0 } = bottom ?? {};
  const axis = (scale: ScaleOptions | undefined, grid: boolean): ScaleOptions => ({ ...scale, grid });
  return {
    width,
    height: height + room,
    marginLeft: Math.max(marginLeft, overhang),
    marginRight,
    marginTop: grid === undefined ? 24 : 40,
    marginBottom: 38 + room,
    x: x === undefined ? { axis: null } : axis(bottom?.scale, x.scale !== 'category'),
    y: axis(y === undefined ? { label: 'count', nice: true } : side?.scale, y?.scale !== 'category'),
    ...(grid !== undefined && {
      fx: { axis: null, domain: Array.from({ length: grid.columns }, (_, index) => index), padding: 0.08 },
      fy: { axis: null, domain: Array.from({ length: grid.rows }, (_, index) => index), padding: 0.2 },
    }),
  };
}

/** The height of the drawing. Names from top to bottom need a row each. */
function heightOf({ y }: Chart): number {
  const rows = namesOf(y).length;
  return rows === 0 ? plainHeight : Math.min(maxHeight, Math.max(120, rows * rowHeight + 62));
}

function colorOf(chart: Chart, { series, ramp }: Palette): ScaleOptions {
  const legend = legendOf(chart);
  if (legend === undefined) return {};
  const { label } = legend;
  if ('names' in legend)
    return { type: 'ordinal', label, domain: legend.names, range: series.slice(0, legend.names.length) };
  const { min, max } = legend;
  // If the amounts hardly differ, the steps of a ramp would all show the same number.
  const isOne = max - min <= Math.abs(max) * 1e-9;
  return { type: 'quantize', domain: [min, isOne ? min + (Math.abs(min) || 1) : max], range: [...ramp], label };
}
