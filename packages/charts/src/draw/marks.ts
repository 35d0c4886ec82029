import {
  areaY,
  barX,
  barY,
  binX,
  boxY,
  cell,
  lineY,
  pointerX,
  rectY,
  ruleY,
  ruleX,
  text,
  tip,
  type Markish,
  type RectYOptions,
  type TipOptions,
  type TipPointer,
} from '@observablehq/plot';
import type { Chart, ChartType } from '@mustard-sandbox/protocol/chart';
import { shortName } from '../names.ts';
import { timeText } from '../times.ts';
import { boxesOf } from './boxes.ts';
import { dots } from './dots.ts';
import type { Points } from './points.ts';

interface Drawing {
  chart: Chart;
  points: Points;
  /** The width of the chart, in pixels. */
  width: number;
  /** The colour of a chart without a column for the colour. */
  color: string;
  isInteractive: boolean;
}

/** Lines with fewer points than this mark each point, because a line of one point would be invisible. */
const mostMarked = 60;

/** The marks of a chart. The data is in the channels, and Plot needs to know only how many rows there are. */
export function marksOf(drawing: Drawing): Markish[] {
  return [...marks[drawing.chart.type](drawing), ...titlesOf(drawing.points)];
}

const marks: Record<ChartType, (drawing: Drawing) => Markish[]> = {
  line: (drawing) => {
    const { x, y, color, facets } = channelsOf(drawing);
    const { points, isInteractive } = drawing;
    const common = { x, y, ...facets };
    return [
      lineY(rowsOf(points), { ...common, stroke: color, ...seriesOf(points), strokeWidth: 1.75 }),
      ...(points.length <= mostMarked ? [dots(rowsOf(points), { ...common, fill: color }, drawing.color)] : []),
      ...(isInteractive
        ? [
            tip(
              rowsOf(points),
              pointerX({ ...common, stroke: color, format: formatOf(drawing), lineWidth: lineWidthOf(drawing) }),
            ),
          ]
        : []),
    ];
  },
  area: (drawing) => {
    const { x, y, color, facets } = channelsOf(drawing);
    return [
      areaY(rowsOf(drawing.points), {
        x,
        y,
        ...facets,
        fill: color,
        ...seriesOf(drawing.points),
        fillOpacity: 0.75,
        tip: tipOf(drawing, 'x'),
      }),
      ruleY([0]),
    ];
  },
  bar: (drawing) => {
    const { x, y, color, facets } = channelsOf(drawing);
    const names = new Set(drawing.chart.x?.scale === 'category' ? drawing.points.columns.x : drawing.points.columns.y);
    // Between hundreds of bars there is no room for a gap.
    const inset = names.size > 100 ? 0 : 0.5;
    const options = { x, y, ...facets, fill: color, inset, tip: tipOf(drawing) };
    const isUpright = drawing.chart.x?.scale === 'category';
    return isUpright
      ? [barY(rowsOf(drawing.points), options), ruleY([0])]
      : [barX(rowsOf(drawing.points), options), ruleX([0])];
  },
  scatter: (drawing) => {
    const { x, y, color, facets } = channelsOf(drawing);
    return [dots(rowsOf(drawing.points), { x, y, ...facets, fill: color, tip: tipOf(drawing) }, drawing.color)];
  },
  histogram: (drawing) => {
    const { x, color, facets } = channelsOf(drawing);
    const { bins = 30 } = drawing.chart;
    const look: Omit<RectYOptions, 'x' | 'interval'> = {
      ...facets,
      fill: color,
      inset: 0.5,
      tip: tipOf(drawing),
    };
    const binned = binX({ y: 'count' }, { ...look, x: { value: x, thresholds: bins } });
    return [rectY(rowsOf(drawing.points), binned), ruleY([0])];
  },
  heatmap: (drawing) => {
    const { x, y, color, facets } = channelsOf(drawing);
    return [cell(rowsOf(drawing.points), { x, y, ...facets, fill: color, inset: 0.5, tip: tipOf(drawing) })];
  },
  box: (drawing) => {
    const { points, color, isInteractive } = drawing;
    const { x, y, facets } = channelsOf(drawing);
    const boxes = boxesOf(points);
    const places = {
      ...(points.columns.x && { x: boxes.map((box) => box.x) }),
      ...(points.grid && { fx: boxes.map((box) => box.fx), fy: boxes.map((box) => box.fy) }),
    };
    return [
      boxY(rowsOf(points), {
        ...(points.columns.x && { x }),
        y,
        ...facets,
        fill: color,
        fillOpacity: 0.6,
        stroke: 'currentColor',
        r: 1.5,
      }),
      ...(isInteractive
        ? [
            tip(
              boxes,
              pointerX({ ...places, y: boxes.map(({ figures }) => figures[2]), title: boxes.map((box) => box.text) }),
            ),
          ]
        : []),
    ];
  },
};

function rowsOf({ length }: Points): { length: number } {
  return { length };
}

function channelsOf({ points: { columns, grid }, color }: Drawing) {
  return {
    x: columns.x as Iterable<unknown>,
    y: columns.y as Iterable<unknown>,
    color: columns.color ?? color,
    facets: grid === undefined ? {} : { fx: grid.fx, fy: grid.fy },
  };
}

/** The width of a line of a tooltip, in em. A tooltip takes at most half of a narrow chart. */
function lineWidthOf({ width }: Drawing): number {
  return Math.max(8, Math.min(20, width / 20 - 3));
}

/** What a tooltip shows for each channel. It leaves out the row and column of a facet, which mean nothing to a person. */
function formatOf({ chart }: Drawing): NonNullable<TipOptions['format']> {
  const isTime = chart.x?.scale === 'time';
  return { z: false, fx: false, fy: false, ...(isTime && { x: (time: Date) => timeText(Number(time)) }) };
}

function tipOf(drawing: Drawing, pointer: TipPointer = 'xy'): (TipOptions & { pointer: TipPointer }) | false {
  // In a histogram x is a range, which Plot writes.
  const format = drawing.chart.type === 'histogram' ? { fx: false, fy: false } : formatOf(drawing);
  return drawing.isInteractive && { pointer, format, lineWidth: lineWidthOf(drawing) };
}

/** The series of points. Points of one name are one line, even if they share their colour with other names. */
function seriesOf({ columns }: Points): { z?: Iterable<unknown> } {
  return columns.color === undefined ? {} : { z: columns.color };
}

function titlesOf({ grid }: Points): Markish[] {
  if (grid === undefined) return [];
  const { names, columns } = grid;
  return [
    text(names, {
      fx: names.map((_, index) => index % columns),
      fy: names.map((_, index) => Math.floor(index / columns)),
      text: names.map((name) => shortName(name, 30)),
      frameAnchor: 'top-left',
      dy: -14,
      fontWeight: 600,
    }),
  ];
}
