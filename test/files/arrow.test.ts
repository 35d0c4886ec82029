// Arrow as tables. Apache's own library for JavaScript wrote the files; the commands lz4 and zstd packed their buffers.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { unpackLz4 } from '../../packages/sandbox-daemon/src/files/arrow/lz4.ts';
import { arrowTable } from '../../packages/sandbox-daemon/src/files/arrow/table.ts';
import { BuiltinCall } from '../../packages/sandbox-daemon/src/files/call.ts';
import { query } from '../../packages/sandbox-daemon/src/files/query/query.ts';
import type { ScopeOptions, SandboxError } from '@mustard-sandbox/protocol';
import { accessTo, makeFolder } from './support.ts';

const fixture = (name: string): Buffer => readFileSync(new URL(`fixtures/arrow/${name}`, import.meta.url));
const hasLz4 = spawnSync('lz4', ['--version']).status === 0;
const names = ['types.arrow', 'types.arrows', 'lz4.feather', 'zstd.feather'];

const rowsOf = async (name: string, content: Buffer, sql: string, options: ScopeOptions = {}): Promise<unknown[]> =>
  (await query(accessTo(makeFolder({ [name]: content }), options), [sql, { t: name }])).rows.map((row) => ({ ...row }));
/** Reads all rows without DuckDB, which takes longer to open than a small file to read. */
async function failure(content: Buffer, options?: ScopeOptions): Promise<SandboxError | undefined> {
  const call = new BuiltinCall('query', 'a.arrow');
  try {
    using table = await arrowTable(accessTo(makeFolder({ 'a.arrow': content }), options), 'a.arrow', call);
    for await (const row of table.rows) expect(row.length).toBe(table.columns.length);
    return undefined;
  } catch (error) {
    return error as SandboxError;
  }
}

const none = { i: null, big: null, d: null, s: null, cat: null, b: null, day: null, at: null, bin: null };
const rows = [
  {
    i: 1,
    big: '9007199254740993',
    d: 1.5,
    s: 'größe',
    cat: 'red',
    b: true,
    day: '2024-02-29',
    at: '2024-02-29T10:02:03.500125',
    bin: '00ff',
  },
  none,
  {
    i: 3,
    big: -1,
    d: -0.25,
    s: '',
    cat: 'blue',
    b: false,
    day: '1969-12-31',
    at: '1969-12-31T23:59:59.999999',
    bin: '',
  },
  { i: -4, big: 0, d: 1e300, s: '日本', cat: 'red', b: true, day: '2000-01-01', at: '1970-01-01T00:00:00', bin: '01' },
  {
    i: 2147483647,
    big: '9223372036854775807',
    d: 0,
    s: 'x'.repeat(100),
    cat: 'red',
    b: false,
    day: '9999-12-31',
    at: '1970-01-01T00:00:00.00025',
    bin: '02',
  },
];

test.each(names)('%s has the values that were written, of two batches', async (name) => {
  const all = [...rows, { ...rows[0], i: 11 }, ...rows.slice(1)];
  expect(await rowsOf(name, fixture(name), 'select * from t')).toEqual(all);
  const sql =
    'select cat, sum(i)::bigint n, max("at") > date \'2024-01-01\' late from t group by 1 order by 1 nulls last';
  expect(await rowsOf(name, fixture(name), sql)).toEqual([
    { cat: 'blue', n: 6, late: false },
    { cat: 'red', n: 4294967298, late: true },
    { cat: null, n: null, late: null },
  ]);
});

test('one in an archive is read as any other, and one that is compressed as a whole says what to do', async () => {
  const zip = execFileSync('tar', ['cf', '-', 'a.arrow'], { cwd: makeFolder({ 'a.arrow': fixture('lz4.feather') }) });
  const files = accessTo(makeFolder({ 'a.tar': zip }));
  const { rows: found } = await query(files, ['select count(*)::int n from t', { t: 'a.tar!/a.arrow' }]);
  expect(found[0]?.['n']).toBe(10);
  expect(await failure(gzipSync(fixture('types.arrow')))).toMatchObject({ code: 'script_error' });
});

describe('a file that is made to hold up', () => {
  test.each(names)('%s cut anywhere gives an error, or a stream the batches before', async (name) => {
    const content = fixture(name);
    const codes = new Set<string | undefined>();
    for (let end = 0; end < content.length; end += 97) codes.add((await failure(content.subarray(0, end)))?.code);
    codes.delete(name.endsWith('s') ? undefined : '');
    expect([...codes]).toEqual(['script_error']);
  });

  test.each(names)(
    '%s with any byte changed gives rows or an error with a code, and nothing else',
    { timeout: 120_000 },
    async (name) => {
      const content = fixture(name);
      const codes = new Set<string>();
      for (let at = 0; at < content.length; at += 7) {
        const changed = Buffer.from(content);
        changed[at] = at % 2 === 0 ? 0xff : (changed[at] as number) ^ 0x40;
        const error = await failure(changed);
        if (error !== undefined) codes.add(error.code);
      }
      expect([...codes].filter((code) => code !== 'limit_exceeded')).toEqual(['script_error']);
    },
  );

  test('of lists by the billion and names by the gigabyte ends where it begins', async () => {
    const content = fixture('types.arrows');
    const codes = new Set<string>();
    // Each place that may be a length: the library would make lists as long as what stands there.
    for (let place = 0; place < 2_400; place += 8) {
      const changed = Buffer.from(content);
      changed.writeInt32LE(0x7fffffff, place);
      const began = performance.now();
      const error = await failure(changed);
      if (error !== undefined) codes.add(error.code);
      expect(performance.now() - began, String(place)).toBeLessThan(20_000);
    }
    expect([...codes].toSorted()).toEqual(['limit_exceeded', 'script_error']);
  });

  test('of a column of lists says what to do', async () => {
    const error = await failure(fixture('lists.arrow'));
    expect(error).toMatchObject({ code: 'script_error', message: expect.stringMatching(/"tags".*Parquet/) as string });
  });

  test.skipIf(!hasLz4)('LZ4 of a command is unpacked, in all of its blocks, and nothing else is', () => {
    const random = Array.from({ length: 300_000 }, (_, at) => (at * 7919) % 251);
    const text = Buffer.concat([
      Buffer.from('abcabcab'.repeat(200_000)),
      Buffer.from(random),
      Buffer.from('\n'.repeat(70_000)),
    ]);
    for (const args of [['-1'], ['-9'], ['-B4'], ['-BX'], ['--content-size'], ['-BD'], ['--no-frame-crc']]) {
      const packed = execFileSync('lz4', ['-c', ...args], { input: text, maxBuffer: 2 ** 26 });
      expect(Buffer.from(unpackLz4(packed, text.length)).equals(text), args.join()).toBe(true);
      expect(() => unpackLz4(packed, text.length - 1)).toThrow(/it is/);
      expect(() => unpackLz4(packed, text.length + 1)).toThrow(/it is/);
      expect(() => unpackLz4(packed.subarray(0, packed.length >> 1), text.length)).toThrow(/it is/);
    }
  });

  test('of 5 GB of nothing is no Arrow, and is not read', async () => {
    const root = makeFolder({ 'a.arrow': '' });
    truncateSync(join(root, 'a.arrow'), 5 * 2 ** 30);
    const files = accessTo(root);
    await expect(query(files, ['select 1 from t', { t: 'a.arrow' }])).rejects.toMatchObject({ code: 'script_error' });
    expect(files.bytesRead).toBeLessThan(2 ** 20);
  });

  test('is read no further than a run may', async () => {
    const error = await failure(fixture('types.arrow'), { maxTotalReadBytes: 1_000 });
    expect(error).toMatchObject({ code: 'limit_exceeded', details: { limit: 'total_read_bytes' } });
  });
});
