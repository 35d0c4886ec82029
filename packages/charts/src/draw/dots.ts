import { dot, type Dot, type DotOptions, type RenderFunction } from '@observablehq/plot';

const svg = 'http://www.w3.org/2000/svg';

/** Draws many points as one path for each colour. A browser would take three times as long for 10,000 circles. */
export function dots(points: { length: number }, options: DotOptions, color: string): Dot {
  const radius = points.length < 200 ? 3 : points.length < 2_000 ? 2.2 : 1.5;
  return dot(points, { ...options, r: radius, render: drawnAsPaths(radius, color) });
}

function drawnAsPaths(radius: number, plainColor: string): RenderFunction {
  return (index, _scales, { x: xs, y: ys, fill: fills }, { width, height }, context) => {
    const paths = new Map<string, string[]>();
    for (const row of index) {
      const [x, y] = [xs?.[row] ?? width / 2, ys?.[row] ?? height / 2];
      const color = String(fills?.[row] ?? plainColor);
      const path = paths.get(color) ?? [];
      paths.set(color, path);
      path.push(`M${Math.round(x * 10) / 10},${Math.round(y * 10) / 10}h0`);
    }
    const group = context.ownerSVGElement.ownerDocument.createElementNS(svg, 'g');
    for (const [color, path] of paths) {
      const element = context.ownerSVGElement.ownerDocument.createElementNS(svg, 'path');
      const attributes = { d: path.join(''), stroke: color, 'stroke-width': radius * 2, 'stroke-linecap': 'round' };
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
      group.append(element);
    }
    return group;
  };
}
