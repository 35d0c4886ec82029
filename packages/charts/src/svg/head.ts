import type { Chart } from '@mustard-sandbox/protocol/chart';
import { legendOf } from '../legend.ts';
import { shortName, shownName } from '../names.ts';
import type { Palette } from '../draw/palette.ts';

const namespace = 'http://www.w3.org/2000/svg';
const characterWidth = 6.4;
const lineHeight = 18;
const left = 16;

interface Look {
  width: number;
  palette: Palette;
}

/** Puts title and legend above the drawing, and white behind it, because a file has no page around it. */
export function addHead(svg: SVGSVGElement, chart: Chart, { width, palette }: Look): void {
  const make = (name: string, attributes: Record<string, string | number>, content = ''): Element => {
    const element = svg.ownerDocument.createElementNS(namespace, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    if (name === 'text') element.setAttribute('text-anchor', 'start');
    element.textContent = content;
    return element;
  };
  const drawn = make('g', {});
  while (svg.firstChild !== null) drawn.append(svg.firstChild);
  const head: Element[] = [];
  let y = 8;
  if (chart.title !== undefined) {
    y += lineHeight;
    head.push(
      make(
        'text',
        { x: left, y, 'font-size': 15, 'font-weight': 600, fill: 'currentColor' },
        shortName(chart.title, 80),
      ),
    );
  }
  const keys = keysOf(chart, palette);
  if (keys.length > 0) y += lineHeight + 4;
  let x = left;
  for (const { color, name } of keys) {
    const room = 20 + name.length * characterWidth;
    if (x > left && x + room > width) {
      x = left;
      y += lineHeight;
    }
    if (color !== undefined) head.push(make('rect', { x, y: y - 9, width: 10, height: 10, fill: color }));
    head.push(make('text', { x: color === undefined ? x : x + 14, y, 'font-size': 11, fill: 'currentColor' }, name));
    x += room;
  }
  if (keys.length > 0) y += 6;
  const height = Number(svg.getAttribute('height')) + y;
  drawn.setAttribute('transform', `translate(0,${y})`);
  svg.setAttribute('height', String(height));
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.append(make('rect', { width: '100%', height: '100%', fill: '#ffffff' }), ...head, drawn);
}

/** The keys of the legend. Each step of a ramp is named by its least amount. */
function keysOf(chart: Chart, { series, ramp }: Palette): { color?: string; name: string }[] {
  const legend = legendOf(chart);
  if (legend === undefined) return [];
  if ('names' in legend)
    return legend.names.map((name, index) => ({ color: series[index] as string, name: shortName(name, 40) }));
  const format = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
  const { min, max } = legend;
  const steps = ramp.map((color, index) => ({ color, name: format.format(min + ((max - min) * index) / ramp.length) }));
  return [{ name: shownName(legend.label) }, ...steps];
}
