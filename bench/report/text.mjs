import { boundOf, wanted } from '../wanted.mjs';
import { amount } from './format.mjs';

/** @typedef {import('./run.mjs').Run} Run */

/** @param {Run} run @returns {string} for a terminal: ratios first */
export function report(run) {
  const lines = [describe(run), ''];
  for (const judgement of run.judgements) lines.push(...judgementLines(judgement));
  for (const failure of run.failures) lines.push(`${'FAILED'.padStart(9)}  ${failure}`);
  for (const figure of run.figures) lines.push('', ...figureLines(figure));
  for (const table of run.growth) lines.push('', ...growthLines(table));
  // Once more as the last lines: of a long log the end is what a reader sees.
  const tooBad = run.judgements.filter(({ verdict }) => verdict === 'too bad');
  if (tooBad.length > 0) lines.push('', 'too bad:', ...tooBad.flatMap(judgementLines));
  return `${lines.join('\n')}\n`;
}

/** The machine in one line. @param {Run} run */
function describe({ machine, mode, seconds }) {
  const { cpu, cores, memoryBytes, platform, kernel, node, loadAtStart, busy } = machine;
  const facts = [
    `${cpu}, ${cores} cores`,
    amount(memoryBytes, 'bytes'),
    `${platform} ${kernel}`,
    `Node ${node.slice(1)}`,
  ];
  if (loadAtStart !== null)
    facts.push(`load ${loadAtStart}${busy ? ' (busy: the figures are worse than they need be)' : ''}`);
  return `${facts.join('; ')}; ${mode} run of ${seconds} s`;
}

const marks = { met: 'met', missed: 'MISSED', 'too bad': 'TOO BAD', skipped: 'skipped' };

/** @param {import('../judge.mjs').Judgement} judgement */
function judgementLines({ id, what, unit, direction, wanted: limit, value, low, high, verdict, note }) {
  if (value === null) return [`${'-'.padStart(9)}  ${what}  (skipped: ${note})`];
  const range =
    low === undefined || high === undefined || low === high
      ? ''
      : `, ${amount(low, '').trim()} to ${amount(high, '').trim()} over the run`;
  const goal = `wanted ${direction} ${amount(limit, unit)}`;
  const lines = [`${amount(value, unit).padStart(9)}  ${what}  (${goal}: ${marks[verdict]}${range})`];
  if (note !== undefined) lines.push(`${''.padStart(11)}${note}`);
  if (verdict === 'too bad')
    lines.push(`${''.padStart(11)}tolerated is ${direction} ${amount(boundOf(wanted[id]), unit)}`);
  return lines;
}

function figureLines({ title, timings, skipped = {} }) {
  const rows = Object.entries(timings).map(([name, { unit, p50, p25, p75, p99, min, max, n }]) => {
    const show = (value) => amount(value, unit).padStart(10);
    return `  ${name.padEnd(32)}${[p50, p25, p75, p99, min, max].map(show).join('')}${String(n).padStart(8)}`;
  });
  const missing = Object.entries(skipped).map(([name, reason]) => `  ${name.padEnd(32)}  skipped: ${reason}`);
  return [`${title.padEnd(34)}${header(['p50', 'p25', 'p75', 'p99', 'min', 'max'])}       n`, ...rows, ...missing];
}

function growthLines({ title, xUnit, unit, rows }) {
  const series = Object.keys(rows[0].values);
  const head = series.flatMap((name) => [name.slice(0, 24).padStart(26), 'p99'.padStart(10)]);
  const lines = rows.map(({ x, values }) => {
    const cells = series.flatMap((name) => [
      amount(values[name].p50, unit).padStart(26),
      amount(values[name].p99, unit).padStart(10),
    ]);
    return `  ${amount(x, xUnit).padStart(10)}${cells.join('')}`;
  });
  return [title, `  ${''.padStart(10)}${head.join('')}`, ...lines];
}

function header(names) {
  return names.map((name) => name.padStart(10)).join('');
}
