import { amount } from './format.mjs';
import { roundScale, scaleOf } from './scale.mjs';

const MiB = 1024 * 1024;
const width = 720;
const height = 360;
const frame = { left: 84, right: 24, top: 64, bottom: 52 };

/** Told apart without colour as well: by the form of their points. */
const forms = [
  (x, y) => `<circle cx="${x}" cy="${y}" r="4"/>`,
  (x, y) => `<rect x="${fixed(x - 4)}" y="${fixed(y - 4)}" width="8" height="8"/>`,
  (x, y) => `<path d="M${x} ${fixed(y - 5)}l5 9h-10z"/>`,
];

// Colours that keep a contrast of 3:1 and more on white and on black alike need no second set; text does.
const style = `
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .title { font-size: 15px; font-weight: 600; }
  .grid { stroke: #8c959f; stroke-opacity: .35; }
  .line { fill: none; stroke-width: 2; }
  .far { stroke-dasharray: 3 4; stroke-width: 1.5; }
  .band { fill-opacity: .18; }
  .s0 { stroke: #1f77d0; fill: #1f77d0; } .s1 { stroke: #c8601a; fill: #c8601a; } .s2 { stroke: #2e8b57; fill: #2e8b57; }
  .line.s0, .line.s1, .line.s2 { fill: none; } .band { stroke: none; }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3; } }
`;

/**
 * A growth table as a picture: both axes logarithmic; for each series the median as a line, the middle half as a band
 * and the 99th percentile dashed. Its description says the same in words.
 *
 * @param {import('../growth/index.mjs').Growth} growth
 * @returns {string} SVG
 */
export function plot(growth) {
  const { title, x: xLabel, y: yLabel, unit, xUnit, rows } = growth;
  const names = Object.keys(rows[0].values);
  const xs = scaleOf(rows.map(({ x }) => x));
  const shown = rows.flatMap(({ values }) => Object.values(values).flatMap(({ p25, p99 }) => [p25, p99]));
  const ys = roundScale(shown, unit === 'bytes' ? MiB : 1);
  const at = { x: (value) => placeX(xs, value), y: (value) => placeY(ys, value) };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escape(title)}</title>`,
    `<desc id="desc">${escape(inWords(growth))}</desc>`,
    `<style>${style}</style>`,
    `<text class="title" x="${frame.left}" y="20">${escape(title)}</text>`,
    ...names.map(legend),
    ...ys.ticks.map((tick) => yTick(at.y(tick), short(tick, unit))),
    ...xs.ticks.map((tick) => xTick(at.x(tick), short(tick, xUnit))),
    `<text x="${(frame.left + width - frame.right) / 2}" y="${height - 8}" text-anchor="middle">${escape(xLabel)}</text>`,
    `<text transform="translate(16 ${(frame.top + height - frame.bottom) / 2}) rotate(-90)" text-anchor="middle">${escape(yLabel)}</text>`,
    ...names.flatMap((name, index) =>
      series(
        rows.map(({ x, values }) => ({ x, ...values[name] })),
        at,
        index,
      ),
    ),
    '</svg>\n',
  ].join('\n');
}

function series(points, at, index) {
  const line = (of) => points.map((point, i) => `${i === 0 ? 'M' : 'L'}${at.x(point.x)} ${at.y(of(point))}`).join('');
  const back = points.toReversed().map((point) => `L${at.x(point.x)} ${at.y(point.p25)}`);
  return [
    `<path class="band s${index}" d="${line(({ p75 }) => p75)}${back.join('')}z"/>`,
    `<path class="line far s${index}" d="${line(({ p99 }) => p99)}"/>`,
    `<path class="line s${index}" d="${line(({ p50 }) => p50)}"/>`,
    `<g class="s${index}">${points.map((point) => forms[index](at.x(point.x), at.y(point.p50))).join('')}</g>`,
  ];
}

function legend(name, index) {
  const x = frame.left + 6 + index * 220;
  return `<g class="s${index}">${forms[index](x, 40)}</g><text x="${x + 12}" y="45">${escape(name)}</text>`;
}

function yTick(y, label) {
  return `<path class="grid" d="M${frame.left} ${y}H${width - frame.right}"/><text x="${frame.left - 8}" y="${fixed(y + 4)}" text-anchor="end">${escape(label)}</text>`;
}

function xTick(x, label) {
  const bottom = height - frame.bottom;
  return `<path class="grid" d="M${x} ${frame.top}V${bottom}"/><text x="${x}" y="${bottom + 18}" text-anchor="middle">${escape(label)}</text>`;
}

function placeX(scale, value) {
  return fixed(frame.left + scale.place(value) * (width - frame.left - frame.right));
}

function placeY(scale, value) {
  return fixed(height - frame.bottom - scale.place(value) * (height - frame.top - frame.bottom));
}

/** What a reader who cannot see it needs: where each series begins and ends. */
function inWords({ x, xUnit, unit, rows }) {
  const [first] = rows;
  const last = rows.at(-1);
  const sentences = Object.keys(first.values).map(
    (name) =>
      `${name}: from ${amount(first.values[name].p50, unit)} to ${amount(last.values[name].p50, unit)} (median)`,
  );
  return `From ${amount(first.x, xUnit)} to ${amount(last.x, xUnit)}, ${x}. ${sentences.join('. ')}. Both axes are logarithmic.`;
}

/** Without the zeros that say how exact a measurement is. */
function short(tick, unit) {
  return amount(tick, unit).replace(/\.0+(?= )/, '');
}

function fixed(value) {
  return Math.round(value * 10) / 10;
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
