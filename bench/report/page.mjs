import { readFileSync } from 'node:fs';
import { peers } from '../peers/index.mjs';
import { isTolerable, toleranceOf } from '../wanted.mjs';
import { amount, time } from './format.mjs';
import { plot } from './plot.mjs';

/** @typedef {import('./run.mjs').Run} Run */

const template = readFileSync(new URL('performance.template.md', import.meta.url), 'utf8');

/** What a template may ask of a run: `{{name argument}}`. @type {Record<string, (run: Run, argument: string) => string>} */
const fillers = {
  machine: machineTable,
  wanted: wantedTable,
  peers: peerTable,
  figure: figureTable,
  growth: growthTable,
  /** `ratio ID`: the value alone. */
  ratio: (run, id) => valueOf(find(run.judgements, 'id', id)),
  /** `p50 FIGURE / WAY`. */
  p50: (run, argument) => {
    const { unit, p50 } = timing(run, argument);
    return amount(p50, unit);
  },
  /** `grown TABLE / SERIES / X`: the median at X. */
  grown: (run, argument) => {
    const { unit, medians } = grown(run, argument);
    return amount(medians[0], unit);
  },
  /** `grew TABLE / SERIES / FROM / TO`: how many times the first median the second is. */
  grew: (run, argument) => {
    const { medians } = grown(run, argument);
    return amount(medians[1] / medians[0], '×');
  },
};

/**
 * docs/performance.md and its plots.
 *
 * @param {Run} run of everything
 * @returns {Record<string, string>} text by path beneath `docs`
 * @throws {Error} naming what the run lacks
 */
export function performancePages(run) {
  const page = template.replaceAll(/\{\{(\w+)(?: ([^}]+))?\}\}/g, (_match, name, argument = '') =>
    fillers[name](run, argument.trim()),
  );
  const plots = run.growth.map((growth) => [`performance/${growth.name}.svg`, plot(growth)]);
  return { 'performance.md': page, ...Object.fromEntries(plots) };
}

function find(list, key, value) {
  const found = list.find((entry) => entry[key] === value);
  if (found === undefined) throw new Error(`The run lacks ${value}: measure everything, without --quick and --only.`);
  return found;
}

function timing(run, argument) {
  const [figure, way] = argument.split(' / ');
  const found = find(run.figures, 'name', figure).timings[way];
  if (found === undefined) throw new Error(`The run lacks '${way}' of ${figure}.`);
  return found;
}

/** `TABLE / SERIES / X…` */
function grown(run, argument) {
  const [name, series, ...sizes] = argument.split(' / ');
  const { unit, rows } = find(run.growth, 'name', name);
  return { unit, medians: sizes.map((size) => find(rows, 'x', Number(size)).values[series].p50) };
}

function machineTable({ machine, mode, takenAt, seconds }) {
  const { cpu, cores, memoryBytes, platform, kernel, node, loadAtStart, busy } = machine;
  const rows = {
    Processor: `${cpu}, ${cores} cores to use`,
    Memory: amount(memoryBytes, 'bytes'),
    System: `${platform}, kernel ${kernel}`,
    Node: node.slice(1),
    'Load at the start':
      loadAtStart === null ? 'unknown' : `${loadAtStart}${busy ? ': **busy**, so worse than it need be' : ''}`,
    Run: `${mode}, ${takenAt.slice(0, 10)}, ${time(seconds * 1000)}`,
  };
  return table(['', ''], Object.entries(rows));
}

function metText(judgement) {
  const { verdict, value } = judgement;
  if (verdict === 'skipped') return 'not measured';
  if (verdict === 'met') return 'yes';
  return isTolerable(judgement, value) ? 'no' : `**no, by more than ${toleranceOf(judgement)} times**`;
}

function wantedTable({ judgements }) {
  const rows = judgements.map((judgement) => {
    const { what, unit, direction, wanted, low, high } = judgement;
    const range = low === undefined || low === high ? '' : `${amount(low, unit)} – ${amount(high, unit)}`;
    return [valueOf(judgement), range, what, `${direction} ${amount(wanted, unit)}`, metText(judgement)];
  });
  return table(['measured', 'over the run', 'figure', 'wanted', 'met'], rows);
}

function valueOf({ value, unit, note }) {
  return value === null ? `– (${note})` : amount(value, unit);
}

/** The first way is what the others are compared with. */
function figureTable(run, name) {
  const { timings, skipped = {} } = find(run.figures, 'name', name);
  const ways = Object.entries(timings);
  const [, first] = ways[0] ?? [];
  const rows = ways.map(([way, { unit, p50, p25, p75, p99, n }]) => {
    const spread = `${amount(p25, unit)} – ${amount(p75, unit)}`;
    return [way, amount(p50, unit), spread, amount(p99, unit), amount(p50 / first.p50, '×'), String(n)];
  });
  for (const [way, reason] of Object.entries(skipped)) rows.push([way, `skipped: ${reason}`, '', '', '', '']);
  return table(['', 'p50', 'middle half', 'p99', '× the first', 'n'], rows);
}

function growthTable(run, name) {
  const { title, x, xUnit, unit, rows } = find(run.growth, 'name', name);
  const series = Object.keys(rows[0].values);
  const cells = rows.map((row) => [
    amount(row.x, xUnit),
    ...series.flatMap((each) => [amount(row.values[each].p50, unit), amount(row.values[each].p99, unit)]),
  ]);
  const head = [x, ...series.flatMap((each) => [`${each}, p50`, 'p99'])];
  return `![${title}](performance/${name}.svg)\n\n${table(head, cells)}`;
}

function peerTable(run) {
  const { timings, skipped = {}, versions = {} } = find(run.figures, 'name', 'peers');
  const rows = Object.entries(peers).map(([name, { onCrash }]) => {
    const measured = timings[name] === undefined ? `skipped: ${skipped[name]}` : amount(timings[name].p50, 'ms');
    return [name, versions[name] ?? '', measured, onCrash];
  });
  const own = ['**sidecar**', '', amount(timings.sidecar.p50, 'ms'), 'the run'];
  return table(['', 'version', '`1 + 1`, p50', 'a crash of the engine ends'], [own, ...rows]);
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
