/**
 * What is wanted of each ratio, and where CI draws the line.
 *
 * @typedef {{
 *   what: string, unit: '×' | 'ms' | 'addons' | 'MB/s' | 'MB', direction: 'at most' | 'at least', wanted: number,
 *   known?: { bound: number, why: string },
 * }} Wanted `known`: not reached, and for now CI only sees to it that it does not get worse than `bound`
 */

/** @type {Record<string, Wanted>} */
export const wanted = {
  warm: {
    what: 'warm 1 + 1, against raw pipe echo + in-process engine',
    unit: '×',
    direction: 'at most',
    wanted: 1.35,
    known: { bound: 4, why: 'both sides sleep and have to be woken, and check every message; see docs/performance.md' },
  },
  'host-calls': {
    what: 'a script with 100 host calls, against 100 raw pipe echoes + in-process engine',
    unit: '×',
    direction: 'at most',
    wanted: 1.35,
    known: {
      bound: 6,
      why: 'it is met where a second processor is idle; on one, a call costs what both sides compute; see docs/performance.md',
    },
  },
  'host-calls-raw': {
    what: 'a script with 100 host calls, against 100 raw pipe echoes',
    unit: '×',
    direction: 'at most',
    wanted: 0.65,
    known: { bound: 6, why: 'as for the figure above' },
  },
  'worker-per-run': {
    what: 'a worker thread per run, against warm 1 + 1',
    unit: '×',
    direction: 'at least',
    wanted: 150,
  },
  'run-package': {
    what: 'the package run, against warm 1 + 1',
    unit: '×',
    direction: 'at least',
    wanted: 40,
  },
  'new-script': {
    what: 'a new script of 4 KB, against one that was seen before',
    unit: '×',
    direction: 'at most',
    wanted: 1.5,
  },
  'first-run': {
    what: 'nothing spawned to the first result in QuickJS, against node -e 0',
    unit: '×',
    direction: 'at most',
    wanted: 1.35,
  },
  'first-run-mustardscript': {
    what: 'nothing spawned to the first result in MustardScript, against node -e 0',
    unit: '×',
    direction: 'at most',
    wanted: 1.35,
  },
  'big-file': {
    what: 'top five errors of 80 MB, against the in-process engine',
    unit: '×',
    direction: 'at most',
    wanted: 1.05,
  },
  search: {
    what: 'top five errors of 80 MB by search, against a plain Node program',
    unit: '×',
    direction: 'at most',
    wanted: 0.7,
  },
  'search-against-script': {
    what: 'top five errors of 80 MB by a script with ranges and match, against search',
    unit: '×',
    direction: 'at least',
    wanted: 4,
  },
  'ranges-against-node': {
    what: 'the same script, against a plain Node program',
    unit: '×',
    direction: 'at most',
    wanted: 4.5,
  },
  'lines-against-quickjs': {
    what: 'a loop over the lines of 80 MB with includes, against QuickJS alone',
    unit: '×',
    direction: 'at most',
    wanted: 1.1,
  },
  lines: {
    what: 'a loop over the lines of 80 MB',
    unit: 'MB/s',
    direction: 'at least',
    wanted: 60,
  },
  query: {
    what: 'p95 by group over a CSV of 1 M rows by query, against DuckDB alone',
    unit: '×',
    direction: 'at most',
    wanted: 2,
  },
  'reader-csv': {
    what: 'p95 by group over 1 GB of CSV in four files by query, against DuckDB alone',
    unit: '×',
    direction: 'at most',
    wanted: 1.3,
  },
  'reader-parquet': {
    what: 'the same over Parquet of 1 M rows, against DuckDB alone',
    unit: '×',
    direction: 'at most',
    wanted: 1.3,
  },
  'reader-xlsx': {
    what: 'the same over a workbook of 100,000 rows, against DuckDB with its extension',
    unit: '×',
    direction: 'at most',
    wanted: 1.3,
  },
  'reader-sqlite': {
    what: 'the same over SQLite of 1 M rows, against DuckDB with its extension',
    unit: '×',
    direction: 'at most',
    wanted: 1.3,
  },
  parallel: {
    what: 'ten logs of 160 MB one after the other, against parallel in two processes',
    unit: '×',
    direction: 'at least',
    wanted: 1.7,
  },
  'jail-start': {
    what: 'start of a sidecar in the jail, against one outside',
    unit: '×',
    direction: 'at most',
    wanted: 1.3,
  },
  'jail-run': {
    what: 'a run that reads a file in the jail, against one outside',
    unit: '×',
    direction: 'at most',
    wanted: 1.1,
  },
  'bash-true': {
    what: 'a warm `true` in the jail of a workspace, against sh -c true',
    unit: '×',
    direction: 'at most',
    wanted: 3,
  },
  'bash-build': {
    what: 'a build in the jail of a workspace, against one outside',
    unit: '×',
    direction: 'at most',
    wanted: 1.1,
  },
  throughput: {
    what: 'runs per second for 64 callers, against vscode-jsonrpc echo pipelined to one child',
    unit: '×',
    direction: 'at least',
    wanted: 0.3,
    known: {
      bound: 0.06,
      why: 'host and sidecar each compute some 65 µs for a run, and an echo next to nothing; see docs/performance.md',
    },
  },
  'recovery-ratio': {
    what: 'crash to the next result with a spare, against a pipe round trip',
    unit: '×',
    direction: 'at most',
    wanted: 100,
  },
  'recovery-ms': {
    what: 'crash to the next result with a spare',
    unit: 'ms',
    direction: 'at most',
    wanted: 10,
  },
  'idle-memory': {
    what: 'resident memory of an idle sidecar, against bare node waiting on stdin',
    unit: '×',
    direction: 'at most',
    wanted: 1.45,
  },
  'host-cpu': {
    what: "the host's processor time for a warm run, against vscode-jsonrpc echo",
    unit: '×',
    direction: 'at most',
    wanted: 2,
  },
  'result-1mb': {
    what: 'a result of 1 MB, against the same bytes through a raw pipe',
    unit: '×',
    direction: 'at most',
    wanted: 5,
    known: {
      bound: 25,
      why: "QuickJS alone takes four times as long as the pipe to make the text: 'x'.repeat(1_000_000)",
    },
  },
  'input-1mb': {
    what: 'an input of 1 MB, against the same bytes through a raw pipe',
    unit: '×',
    direction: 'at most',
    wanted: 5,
    known: {
      bound: 25,
      why: 'it crosses as JSON, and QuickJS takes twice as long as the pipe to take the text in; see docs/performance.md',
    },
  },
  'rows-4mb': {
    what: 'a result of 4 MB in rows of three fields, against one text of 4 MB',
    unit: '×',
    direction: 'at most',
    wanted: 3,
    known: { bound: 9, why: 'four fifths of it are QuickJS alone, which makes the rows and writes them as JSON' },
  },
  'remote-run': {
    what: 'a run over 10,000 lines at a server on the same machine, against a sandbox of the host',
    unit: '×',
    direction: 'at most',
    wanted: 1.5,
  },
  'remote-trivial': {
    what: 'the same for 1 + 1',
    unit: '×',
    direction: 'at most',
    wanted: 1.5,
    known: {
      bound: 6,
      why: 'the server is one more process, woken by the request and by the answer; see docs/scale.md',
    },
  },
  'remote-ms': {
    what: 'warm 1 + 1 at a server on the same machine',
    unit: 'ms',
    direction: 'at most',
    wanted: 1,
  },
  'remote-upload': {
    what: 'upload of 1 GB and a run over it, against a plain copy over loopback',
    unit: '×',
    direction: 'at most',
    wanted: 1.5,
  },
  'mcp-start': {
    what: 'start of the MCP server over stdio to the first answer, against node -e 0',
    unit: '×',
    direction: 'at most',
    wanted: 8,
  },
  'mcp-http-ms': {
    what: 'what HTTP adds to a call over stdio, with the official client',
    unit: 'ms',
    direction: 'at most',
    wanted: 1,
  },
  'mcp-http-own-ms': {
    what: 'what it adds beyond what HTTP adds to a server of the official SDK that does nothing',
    unit: 'ms',
    direction: 'at most',
    wanted: 1,
  },
  'mcp-sessions': {
    what: 'resident memory that 1,000 sessions add',
    unit: 'MB',
    direction: 'at most',
    wanted: 150,
  },
  'import-ms': {
    what: 'import of the client package',
    unit: 'ms',
    direction: 'at most',
    wanted: 40,
  },
  'import-addons': {
    what: 'native addons that importing the client loads',
    unit: 'addons',
    direction: 'at most',
    wanted: 0,
  },
};

/**
 * How many times worse than wanted CI tolerates. A ratio is of two things measured on the same machine at the same time;
 * milliseconds are of the machine as well, and those of CI take four times as long as a quiet one.
 *
 * @param {Pick<Wanted, 'unit'>} entry
 */
export function toleranceOf({ unit }) {
  return unit === 'ms' || unit === 'MB/s' ? 10 : 2;
}

/**
 * The line that CI draws: so many times worse than wanted, or further where that is known to be out of reach for now.
 *
 * @param {Wanted} entry
 */
export function boundOf(entry) {
  const { direction, wanted, known } = entry;
  if (known !== undefined) return known.bound;
  return direction === 'at most' ? wanted * toleranceOf(entry) : wanted / toleranceOf(entry);
}

/** @param {Wanted} entry @param {number} value */
export function isMet({ direction, wanted }, value) {
  return isWithin(direction, wanted, value);
}

/** @param {Wanted} entry @param {number} value */
export function isTolerable(entry, value) {
  return isWithin(entry.direction, boundOf(entry), value);
}

function isWithin(direction, bound, value) {
  return direction === 'at most' ? value <= bound : value >= bound;
}
