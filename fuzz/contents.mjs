// What a file may hold, and what the built-ins must give of it. The oracle reads the whole file and goes by the definition:
// it shares no code with them.
import { deepStrictEqual } from 'node:assert';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { openFileAccess } from '../packages/sandbox-daemon/dist/files/index.js';
import { readJson } from '../packages/sandbox-daemon/dist/files/json/read-json.js';
import { query } from '../packages/sandbox-daemon/dist/files/query/query.js';
import { readLines } from '../packages/sandbox-daemon/dist/files/read-lines.js';
import { search } from '../packages/sandbox-daemon/dist/files/search/index.js';
import { SandboxError, scopeSchema } from '@mustard-sandbox/protocol';
import { must } from './campaign.mjs';
import { contentFile, jsonFile, tableFile } from './content-arbitraries.mjs';
import { at, byLine, linesOf, placesIn, rowsOf } from './content-oracle.mjs';

const codes = new Set(['script_error', 'limit_exceeded', 'invalid_request', 'capability_denied']);
const all = { limit: 100_000 };

export async function open() {
  const root = mkdtempSync(join(tmpdir(), 'mustard-contents-'));
  const scope = scopeSchema.parse({ root, maxReadBytes: 20 * 2 ** 20, maxTotalReadBytes: 2 ** 34 });
  const descriptors = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);
  const before = descriptors();
  // A name for each file: what is known of a file by its name must not be taken for another one's.
  let count = 0;
  const withFile = async (name, bytes, check) => {
    const path = `${++count}-${name}`;
    writeFileSync(join(root, path), bytes);
    const files = openFileAccess(scope);
    try {
      await check(files, path);
    } finally {
      files[Symbol.dispose]();
      rmSync(join(root, path));
    }
  };
  const laws = {
    'lines are those of the text': fc.asyncProperty(contentFile, ranges, (file, asked) =>
      withFile(file.name, file.bytes, (files, path) => checkLines(files, path, file, asked)),
    ),
    'a search finds what a look at each line finds': fc.asyncProperty(
      contentFile,
      patterns,
      windows,
      (file, one, window) =>
        withFile(file.name, file.bytes, (files, path) => checkSearch(files, path, file, one, window)),
    ),
    'JSON is what JSON.parse makes of it': fc.asyncProperty(jsonFile, (file) =>
      withFile('a.json', file.bytes, (files, path) => checkJson(files, path, file)),
    ),
    'a table of lines has each line, and one of a CSV each field': fc.asyncProperty(tableFile, (file) =>
      withFile(file.name, file.bytes, (files, path) => checkTable(files, path, file)),
    ),
  };
  const remains = async () => {
    const opened = descriptors() - before;
    // The runtime and DuckDB open a few of their own.
    return opened <= 8
      ? []
      : [{ law: 'no descriptor stays open', seed: 0, error: `${opened} more`, input: '', file: '' }];
  };
  const close = async () => rmSync(root, { recursive: true, force: true });
  return { laws, shares: [3, 4, 2, 1], batchRuns: [100, 100, 100, 20], remains, close };
}

const ranges = fc.array(fc.record({ start: fc.integer({ min: 1, max: 60 }), count: fc.nat(30), tail: fc.nat(40) }), {
  minLength: 1,
  maxLength: 4,
});

function checkLines(files, path, { text, options }, asked) {
  const lines = linesOf(text);
  const given = options ?? {};
  for (const { start, count, tail } of asked) {
    const part = readLines(files, path, { ...given, start, count });
    same(linesOf(part.toString()), lines.slice(start - 1, start - 1 + count), `read_lines from ${start}, ${count}`);
    const end = readLines(files, path, { ...given, tail });
    same(linesOf(end.toString()), tail === 0 ? [] : lines.slice(-tail), `the last ${tail}`);
  }
  let read = '';
  for (let part; (part = files.lineReaders.next(files, path, options, 1)).length > 0;) read += part.toString();
  same(linesOf(read), lines, 'lines()');
}

/** Patterns for short matches: what they find in a line does not depend on how the line is cut. */
const patterns = fc.oneof(
  fc.constantFrom(
    ...[/a/, /a/g, /^a/, /b$/, /^$/, /a+b?/, /\s/g, /(\w)(\d)?/, /é|😀/g, /a(?=b)/g, /(?<=a)b/, /(?<!a)b/g, /\ufffd/g],
    ...[
      /(?<word>[a-z]{1,4}),(?<rest>.)/g,
      /A/i,
      /.$/,
      /"([^"]{0,20})"/g,
      /\0/,
      /^\W/u,
      /\bab?\b/g,
      /(a)|(b)/g,
      /ERROR/,
    ],
  ),
  fc.constantFrom('a', 'ab', ',', 'é', '😀', '\0', '\r', '"', 'ERROR', '.*').filter((text) => text !== '\r'),
);

const windows = fc.record({
  limit: fc.integer({ min: 1, max: 20 }),
  offset: fc.nat(5),
  before: fc.nat(3),
  after: fc.nat(3),
  isInverted: fc.boolean(),
});

function checkSearch(files, path, { text, options, hasLongLines }, pattern, { isInverted, ...window }) {
  const given = options ?? {};
  const asked = typeof pattern === 'string' ? pattern : { source: pattern.source, flags: pattern.flags };
  /** @returns {any} */
  const ask = (more) => search(files, path, asked, { ...given, ...more }).found;
  const lines = linesOf(text);
  const found = byLine(lines, pattern);
  same(ask({ count: true }), found.length, 'count');
  same(
    ask({ ...all, fields: [0] }),
    found.slice(0, all.limit).map(({ match }) => [match[0]]),
    'fields',
  );
  const counts = new Map();
  for (const { match } of found) counts.set(match[0], (counts.get(match[0]) ?? 0) + 1);
  const counted = ask({ by: 0, top: 100_000 });
  same(new Map(counted.map(({ value, count }) => [value, count])), counts, 'by');
  const matching = new Set(found.map(({ line }) => line));
  const others = lines.map((_, index) => index + 1).filter((line) => !matching.has(line));
  same(ask({ count: true, invert: true }), others.length, 'count of the others');
  if (hasLongLines) return;
  const wanted = (isInverted ? others : found.map(({ line }) => line)).slice(
    window.offset,
    window.offset + window.limit,
  );
  const rows = ask({ ...window, ...(isInverted && { invert: true }) });
  const shown = (line) => lines[line - 1];
  same(
    rows.map(({ line, text: one }) => ({ line, text: one })),
    wanted.map((line) => ({ line, text: shown(line) })),
    'rows',
  );
  for (const { line, before = [], after = [] } of rows) {
    same(before, lines.slice(Math.max(0, line - 1 - window.before), line - 1), `before line ${line}`);
    same(after, lines.slice(line, line + window.after), `after line ${line}`);
  }
}

/** A script gets no more at a time: `read_json` in docs/limits.md. The text may have more, of spaces. */
const mostJsonBytes = 10 * 2 ** 20;

async function checkJson(files, path, { text, isSound }) {
  const { value: wanted, error } = parsed(text);
  must(!isSound || error === undefined, `the generator is wrong: ${error}`);
  const whole = await attempt(() => readJson(files, [path, { pointer: '' }]));
  if (error === undefined && whole.error?.code === 'limit_exceeded') {
    must(Buffer.byteLength(text) > mostJsonBytes, `refused what is not too much: ${whole.error.message}`);
    return;
  }
  if (error === undefined) same(whole.value, wanted, 'the whole');
  else must(whole.error !== undefined, `gave ${JSON.stringify(whole.value)} of what is no JSON: ${error}`);
  const shape = await attempt(() => readJson(files, [path]));
  if (!isSound) return;
  must(shape.error === undefined, `no shape: ${shape.error?.message}`);
  for (const pointer of placesIn(wanted).slice(0, 25)) {
    same(readJson(files, [path, { pointer }]), at(wanted, pointer), `at ${JSON.stringify(pointer)}`);
  }
  if (!Array.isArray(wanted)) return;
  const part = readJson(files, [path, { pointer: '', offset: 1, limit: 3 }]);
  same(part, wanted.slice(1, 4), 'a part');
  same(readJson(files, [path, { pointer: '$[*]' }]), wanted, 'all items');
}

function parsed(text) {
  try {
    return { value: JSON.parse(text) };
  } catch (/** @type {any} */ error) {
    return { error: error.message };
  }
}

/** @param {any} files @param {string} path @param {any} file */
async function checkTable(files, path, file) {
  const { text, format, fields } = file;
  const table = { t: { path, format, ...(format === 'csv' && { header: true }) } };
  if (format === 'lines') {
    const { value, error } = await attempt(() => query(files, ['select line from t', table, { limit: 10_000 }]));
    if (error !== undefined) {
      // DuckDB does not read pairs of surrogates, and says so.
      const isKnown = /UTF-16|utf-16/.test(error.message) || text.includes('\r');
      must(isKnown, `refused what has ends of one kind: ${error.message}`);
      return;
    }
    const { rows } = value;
    const lines = linesOf(text);
    same(
      rows.map(({ line }) => line),
      lines.map((line) => (line === '' ? null : line)),
      'lines as a table',
    );
    return;
  }
  const { rows } = await query(files, ['select * from t', table, { limit: 10_000 }]);
  same(
    rows.map((row) => ({ ...row })),
    rowsOf(fields),
    'a table of a CSV',
  );
}

/** What one call gave: a value, or the error it ended with, which must be in order. */
async function attempt(body) {
  try {
    return { value: await body() };
  } catch (/** @type {any} */ error) {
    must(error instanceof SandboxError, `not typed: ${error?.stack}`);
    must(codes.has(error.code), `code ${error.code}`);
    return { error };
  }
}

function same(actual, wanted, what) {
  try {
    deepStrictEqual(actual, wanted);
  } catch (/** @type {any} */ error) {
    throw new Error(`${what}: ${error.message.slice(0, 2_000)}`, { cause: error });
  }
}
