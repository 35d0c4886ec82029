import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { changes, makeHostileFiles } from './hostile-files.mjs';
import { statusBytes } from './processes.mjs';
import { size } from './report.mjs';
import { answersTwo, closeSandbox, makeMarker, openSandbox, outcomeOf } from './sandboxes.mjs';

/** @typedef {import('./report.mjs').Report} Report */

const memoryBytes = 512 * 2 ** 20;
const changeMs = 50;

const counted = (format) => `query('select count(*) n from t', { t: { path: file, format: '${format}' } }).rows[0].n`;

/** What reads a whole file. Each gives something small, or ends with an error that has a code. */
const readers = {
  search: `search(file, 'x', { count: true })`,
  lines: 'let n = 0; for (const line of lines(file)) n++; n',
  read_lines: 'read_lines(file, { tail: 2 }).length + read_lines(file, { start: 9_000, count: 2 }).length',
  read_json: `typeof read_json(file, { pointer: '' })`,
  'query csv': counted('csv'),
  'query json': counted('json'),
  'query lines': counted('lines'),
  'query parquet': counted('parquet'),
  pdf_text: 'pdf_text(file).length',
};

/** What a reader may end with, whatever the file. A deadline is one of them: some of this is simply too much. */
const contained = new Set(['OK', 'limit_exceeded', 'script_error', 'capability_denied', 'timeout']);

/** What must come out, where only one thing is right. */
const wanted = {
  'search empty-lines': { code: 'OK', value: 0 },
  'read_lines empty-lines': { code: 'OK', value: 4 },
  'pdf_text polyglot': { code: 'OK', value: 3 },
  ...Object.fromEntries(Object.keys(readers).map((reader) => [`${reader} fifo`, { code: 'capability_denied' }])),
  ...Object.fromEntries(
    ['search', 'lines', 'read_lines', 'query csv', 'query json', 'query lines'].flatMap((reader) =>
      ['cut.gz', 'broken.gz'].map((file) => [`${reader} ${file}`, { code: 'script_error' }]),
    ),
  ),
};

/**
 * @param {{ megabytes: number, lines: number, timeout: number }} options
 * @param {Report} report
 */
export async function run({ megabytes, lines, timeout }, report) {
  const folder = makeMarker();
  try {
    const names = [...makeHostileFiles(folder, { megabytes, lines }), ...Object.keys(changes)];
    const sandbox = openSandbox({
      roots: [folder],
      maxProcesses: 1,
      memoryBytes,
      maxTimeoutMs: 60_000,
      quarantineAfter: Number.MAX_SAFE_INTEGER,
      limits: { timeoutMs: timeout },
    });
    // A short one may be handed over.
    const all = megabytes > 16 ? { ...wanted, 'read_json one-string': { code: 'limit_exceeded' } } : wanted;
    const cells = [];
    for (const name of names) {
      for (const reader of Object.keys(readers)) {
        cells.push(await check(sandbox, folder, name, reader, report, all[`${reader} ${name}`]));
      }
    }
    await closeSandbox(sandbox, report);
    const notContained = cells.filter(({ ok }) => !ok).map(({ id, code }) => `${id}: ${code}`);
    report.must(notContained.length === 0, `not as wanted: ${notContained.join(', ')}`);
    const maxPeakBytes = Math.max(...cells.map(({ peakBytes }) => peakBytes ?? 0)) || null;
    return { cells: cells.length, contained: cells.length - notContained.length, notContained, maxPeakBytes };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function check(sandbox, folder, name, reader, report, want) {
  const id = `${reader} ${name}`;
  const file = join(folder, name);
  const change = changes[name];
  let turn = 0;
  if (change !== undefined) writeFileSync(file, change.start);
  const timer = change && setInterval(() => change.change(file, turn++), changeMs);
  // Up to what the run may read otherwise a file of gigabytes is refused by its size alone.
  const scope = { root: folder, maxTotalReadBytes: 8 * 2 ** 30 };
  const facts = {};
  const outcome = await outcomeOf(sandbox, { script: readers[reader], inputs: { file: name }, scope }, facts);
  clearInterval(timer);
  const pid = sandbox.stats().processes.find(({ sidecar }) => sidecar === facts.sidecar)?.pid;
  const peakBytes = pid === undefined ? null : statusBytes(pid, 'VmHWM');
  const works = await answersTwo(sandbox);
  const { code, value, error, ms } = outcome;
  const isRight =
    want === undefined || code === 'timeout' || (code === want.code && (!('value' in want) || value === want.value));
  const tellsHost = error !== undefined && error.message.includes(folder);
  const ok = contained.has(code) && works && isRight && !tellsHost;
  const detail = error?.details?.limit ?? error?.details?.name ?? value ?? '';
  const verdict = ok ? 'ok' : `NOT AS WANTED: ${error?.message ?? JSON.stringify(value)}`;
  report.row(
    `  ${id.padEnd(28)}${`${code} (${detail})`.padEnd(36)}${ms.toFixed(0).padStart(7)} ms${size(peakBytes).padStart(9)}  ${verdict}`,
  );
  return { id, code, ok, peakBytes };
}
