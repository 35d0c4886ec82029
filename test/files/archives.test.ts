// Files in archives, by paths such as `logs.zip!/server.log`. The archives are made by `tar`, and by a ZIP writer of the tests.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AsideContext } from '../../packages/sandbox-daemon/src/files/context.ts';
import { readData } from '../../packages/sandbox-daemon/src/files/data/read-data.ts';
import type { FileAccess } from '../../packages/sandbox-daemon/src/files/index.ts';
import { readJson } from '../../packages/sandbox-daemon/src/files/json/read-json.ts';
import { pdfText } from '../../packages/sandbox-daemon/src/files/pdf-text.ts';
import { profile } from '../../packages/sandbox-daemon/src/files/profile/profile.ts';
import { query } from '../../packages/sandbox-daemon/src/files/query/query.ts';
import { readLines } from '../../packages/sandbox-daemon/src/files/read-lines.ts';
import { search } from '../../packages/sandbox-daemon/src/files/search/index.ts';
import { readSheet } from '../../packages/sandbox-daemon/src/files/sheets/read-sheet.ts';
import { runs } from '../full.ts';
import { accessTo, errorOf, makeFolder, openScope, type Layout } from './support.ts';
import { cellsOf, workbookOf, zipOf } from './workbooks.ts';

type Access = FileAccess & AsideContext;

const log = Array.from(
  { length: 5000 },
  (_, at) => `2024-01-01 ${at % 7 === 0 ? 'ERROR' : 'INFO'} request ${at}\n`,
).join('');
const csv = `region,amount,day,note\n${Array.from({ length: 3000 }, (_, at) => `${at % 3},${at / 2},2024-01-0${(at % 9) + 1},"a ""b"", ${at}\nc"`).join('\n')}\n`;
const content: Record<string, string | Buffer> = {
  'server.log': log,
  'app/data.csv': csv,
  'app/deep/er/a.json': '{"a":{"b":[1,2,3]}}',
  'app/rows.ndjson': '{"x":1,"y":"a"}\n{"x":2,"y":"b"}\n',
  'app/config.yaml': 'a: [1, 2]\n',
  'packed.log.gz': gzipSync(log),
  'latin.txt': Buffer.from('caf\u00e9\n', 'latin1'),
  'book.xlsx': workbookOf({
    sheets: {
      One: cellsOf([
        ['a', 'b'],
        [1, 'x'],
      ]),
    },
  }),
};

function tarOf(files: Record<string, string | Buffer>, ...options: string[]): Buffer {
  const folder = makeFolder(files);
  return execFileSync('tar', ['cf', '-', ...options, ...readdirSync(folder).sort()], {
    cwd: folder,
    maxBuffer: 2 ** 28,
  });
}

const archives: Record<string, () => Buffer> = {
  'a.zip': () => zipOf(content),
  'stored.zip': () => zipOf(content, { packed: false }),
  'a.tar': () => tarOf(content),
  'pax.tar': () => tarOf(content, '--format=pax'),
  'v7.tar': () => tarOf(content, '--format=v7'),
  'dotted.tar': () => {
    const folder = makeFolder(content);
    return execFileSync('tar', ['cf', '-', '.'], { cwd: folder, maxBuffer: 2 ** 28 });
  },
  'a.tar.gz': () => gzipSync(tarOf(content)),
  'a.tgz': () => gzipSync(tarOf(content, '--format=gnu')),
};

/** What reads a whole file, by its name, and gives something to compare. */
const readers: [name: string, of: string, (files: Access, path: string) => unknown][] = [
  ['read_file', 'server.log', (files, path) => files.readFile(path, undefined).toString()],
  [
    'read_file of a range',
    'server.log',
    (files, path) => files.readFile(path, { start: 70_000, length: 50 }).toString(),
  ],
  ['file_stats', 'latin.txt', (files, path) => ({ ...files.fileStats(path), mtime: '' })],
  ['read_lines', 'server.log', (files, path) => readLines(files, path, { start: 4990, count: 3 }).toString()],
  ['read_lines of the end', 'server.log', (files, path) => readLines(files, path, { tail: 2 }).toString()],
  ['read_lines of gzip', 'packed.log.gz', (files, path) => readLines(files, path, { tail: 2 }).toString()],
  ['lines', 'latin.txt', (files, path) => files.lineReaders.next(files, path, undefined, 1).toString()],
  ['search', 'server.log', (files, path) => search(files, path, 'ERROR', { count: true }).found],
  ['read_json', 'app/deep/er/a.json', (files, path) => readJson(files, [path, { pointer: '/a/b' }])],
  ['read_data', 'app/config.yaml', async (files, path) => await readData(files, [path])],
  ['read_sheet', 'book.xlsx', (files, path) => plain(readSheet(files, [path]))],
  ['query of a sheet', 'book.xlsx', async (files, path) => await rowsOf(files, 'select * from t', path)],
  [
    'query of lines',
    'server.log',
    async (files, path) =>
      await rowsOf(files, "select count(*) n, sum(line[12:16]='ERROR') e, max(line) m from t", path),
  ],
  [
    'query of packed lines',
    'packed.log.gz',
    async (files, path) => await rowsOf(files, 'select count(*) n from t', path),
  ],
  [
    'query of a CSV',
    'app/data.csv',
    async (files, path) =>
      await rowsOf(
        files,
        'select region, sum(amount) s, max(day) d, count(distinct note) n, any_value(typeof(amount)) a, any_value(typeof(day)) k from t group by 1 order by 1',
        path,
      ),
  ],
  [
    'query of NDJSON',
    'app/rows.ndjson',
    async (files, path) => await rowsOf(files, 'select sum(x) x, max(y) y from t', path),
  ],
  ['profile of a log', 'server.log', async (files, path) => ({ ...(await profile(files, [path])), path: '' })],
  [
    'profile of a table',
    'app/data.csv',
    async (files, path) => {
      const { columns } = (await profile(files, [path])) as { columns: { name: string; type: string; max: unknown }[] };
      return columns.map(({ name, type, max }) => ({ name, type, max }));
    },
  ],
];

async function rowsOf(files: Access, sql: string, path: string): Promise<unknown> {
  return plain((await query(files, [sql, { t: path }])).rows);
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe.each(Object.keys(archives))('%s', (name) => {
  test.each(readers)('%s gives what it gives of the file by itself', async (_, of, read) => {
    const root = makeFolder({ ...(content as Layout), [name]: (archives[name] as () => Buffer)() });
    const alone = await read(accessTo(root), of);
    expect(await read(accessTo(root), `${name}!/${of}`)).toEqual(alone);
    const attached = openScope({ attachments: [{ name, path: join(root, name) }] });
    expect(await read(attached, `attachments:${name}!/${of}`)).toEqual(alone);
  });

  test('is listed and searched as a folder', () => {
    const files = accessTo(makeFolder({ [name]: (archives[name] as () => Buffer)() }));
    const within = (...paths: string[]): string[] => paths.map((path) => `${name}!/${path}`);
    expect(files.listFiles(`${name}!/app`)).toEqual(
      within('app/config.yaml', 'app/data.csv', 'app/deep/', 'app/rows.ndjson'),
    );
    expect(files.listFiles(`${name}!/app/`, { recursive: true })).toEqual(
      within('app/config.yaml', 'app/data.csv', 'app/deep/', 'app/deep/er/', 'app/deep/er/a.json', 'app/rows.ndjson'),
    );
    expect(files.listFiles(`${name}!/`)).toEqual(
      within('app/', 'book.xlsx', 'latin.txt', 'packed.log.gz', 'server.log'),
    );
    expect(files.findFiles(`${name}!/**/*.{json,log}`)).toEqual(within('app/deep/er/a.json', 'server.log'));
    expect(files.findFiles(`${name}!/*.csv`)).toEqual([]);
    const found = search(files, `${name}!/`, /^\{"|request 49/, { limit: 5 });
    expect((found.found as { path: string; line: number }[]).map(({ path, line }) => [path, line])).toEqual([
      [`${name}!/app/deep/er/a.json`, 1],
      [`${name}!/app/rows.ndjson`, 1],
      [`${name}!/app/rows.ndjson`, 2],
      [`${name}!/packed.log.gz`, 50],
      [`${name}!/packed.log.gz`, 491],
    ]);
    expect(found.skipped).toEqual([{ path: `${name}!/book.xlsx`, why: 'it cannot be read' }]);
    expect(search(files, `${name}!/app/*.csv`, 'c', { count: true }).found).toBe(3000);
  });

  test('says what is not in it, and what is a folder', () => {
    const files = accessTo(makeFolder({ [name]: (archives[name] as () => Buffer)() }));
    const missing = errorOf(() => files.readFile(`${name}!/nothing`, undefined));
    expect(missing).toMatchObject({ code: 'script_error', details: { name: 'NotFoundError' } });
    expect(missing.message).toContain(`list_files("${name}!/")`);
    for (const folder of ['app', 'app/', '']) {
      const error = errorOf(() => files.readFile(`${name}!/${folder}`, undefined));
      expect(error).toMatchObject({ code: 'capability_denied' });
      expect(error.message).toContain(`list_files("${name}!/${folder}")`);
    }
    expect(errorOf(() => files.listFiles(`${name}!/server.log`)).message).toContain('is not a folder');
  });
});

test('long names, many files and names with dots are read', () => {
  const long = `${'folder-'.repeat(12)}/${'x'.repeat(180)}.txt`;
  const files: Record<string, string> = { [long]: 'long', 'a.txt': 'a' };
  for (let at = 0; at < 3000; at++) files[`many/${at}.txt`] = String(at);
  for (const [name, bytes] of [
    ['a.zip', zipOf(files)],
    ['gnu.tar', tarOf(files, '--format=gnu')],
    ['pax.tgz', gzipSync(tarOf(files, '--format=pax'))],
  ] as const) {
    const access = accessTo(makeFolder({ [name]: bytes }));
    expect(access.readFile(`${name}!/${long}`, undefined).toString()).toBe('long');
    expect(access.listFiles(`${name}!/many`)).toHaveLength(3000);
    expect(access.readFile(`${name}!/many/2999.txt`, undefined).toString()).toBe('2999');
  }
  const many = accessTo(makeFolder({ 'a.zip': zipOf(files) }));
  expect(search(many, 'a.zip!/many', /^7$/, { count: true }).found).toBe(1);
});

test('a folder whose name ends in ! is a folder, and a file of that name beside an archive counts', () => {
  const files = accessTo(makeFolder({ 'notes!/a.txt': 'on the disk', 'b.zip': zipOf({ 'a.txt': 'inside' }) }));
  expect(files.readFile('notes!/a.txt', undefined).toString()).toBe('on the disk');
  expect(files.listFiles('notes!/')).toEqual(['notes!/a.txt']);
  expect(search(files, 'notes!/*.txt', 'disk', { count: true }).found).toBe(1);
  expect(files.readFile('b.zip!/a.txt', undefined).toString()).toBe('inside');
});

test('a loop over lines goes on in another process where it was', () => {
  const root = makeFolder({ 'a.zip': zipOf({ 'a.log': log.repeat(8) }) });
  const files = accessTo(root);
  const first = files.lineReaders.next(files, 'a.zip!/a.log', undefined, 1).toString();
  const kept = files.keep();
  const other = accessTo(root);
  other.thaw(kept);
  let all = first;
  for (let bytes; (bytes = other.lineReaders.next(other, 'a.zip!/a.log', undefined, 1)).length > 0;)
    all += bytes.toString();
  expect(all).toBe(log.repeat(8));
  writeFileSync(join(root, 'a.zip'), zipOf({ 'a.log': 'other\n' }));
  expect(errorOf(() => accessTo(root).thaw(kept))).toMatchObject({ code: 'snapshot_refused' });
});

describe('an archive that is made to hold up or take in', () => {
  const read = (bytes: Buffer, member: string, name = 'a.zip', options = {}): string =>
    accessTo(makeFolder({ [name]: bytes }), options)
      .readFile(`${name}!/${member}`, undefined)
      .toString();
  const failed = (bytes: Buffer, member: string, name = 'a.zip', options = {}): Error =>
    errorOf(() => read(bytes, member, name, options));

  test('names that lead out are no names, and nothing is written', () => {
    const names = [
      '../up.txt',
      '/etc/passwd',
      'a/../../up.txt',
      'C:/x.txt',
      '..\\up.txt',
      'attachments:x',
      'a\u0000b',
      '~/x',
    ];
    const bytes = zipOf({ ...Object.fromEntries(names.map((name) => [name, 'TRICK'])), 'good.txt': 'good' });
    const root = makeFolder({ 'in/a.zip': bytes });
    const files = accessTo(join(root, 'in'));
    expect(files.listFiles('a.zip!/', { recursive: true })).toEqual(['a.zip!/good.txt']);
    expect(search(files, 'a.zip!/', 'TRICK', { count: true }).found).toBe(0);
    for (const name of names) {
      expect(['capability_denied', 'script_error']).toContain(
        errorOf(() => files.readFile(`a.zip!/${name}`, undefined)).code,
      );
    }
    expect(readdirSync(root)).toEqual(['in']);
    expect(readdirSync(join(root, 'in'))).toEqual(['a.zip']);
  });

  test('links in it are not followed', () => {
    const folder = makeFolder({ 'a.txt': 'a', soft: { link: '/etc/hostname' }, near: { link: 'a.txt' } });
    execFileSync('ln', ['a.txt', 'hard'], { cwd: folder });
    const tar = execFileSync('tar', ['cf', '-', 'a.txt', 'soft', 'near', 'hard'], { cwd: folder });
    const zip = zipOf({ 'a.txt': 'a', soft: '/etc/hostname' });
    const soft = zip.lastIndexOf('PK\x01\x02');
    zip[soft + 5] = 3;
    zip.writeUInt32LE(0xa1ff0000, soft + 38);
    for (const [name, bytes, links] of [
      ['a.tar', tar, ['soft', 'near', 'hard']],
      ['a.zip', zip, ['soft']],
    ] as const) {
      for (const link of links) expect(failed(bytes, link, name).message).toContain('a link in the archive');
      expect(accessTo(makeFolder({ [name]: bytes })).listFiles(`${name}!/`)).toEqual([`${name}!/a.txt`]);
    }
  });

  test('devices and pipes in it are no files', () => {
    const folder = makeFolder();
    execFileSync('mkfifo', ['pipe'], { cwd: folder });
    const tar = execFileSync('tar', ['cf', '-', 'pipe'], { cwd: folder });
    expect(failed(tar, 'pipe', 'a.tar').message).toContain('no regular file');
  });

  test('secrets and what the caller denies are denied in it, wherever it lies', () => {
    const inside = { '.env': 'SECRET', 'k/id_rsa': 'SECRET', 'private/x.txt': 'SECRET', 'ok.txt': 'ok' };
    const root = makeFolder({ 'b/a.zip': zipOf(inside), 'b/private/x.txt': '', link: { link: 'b/a.zip' } });
    const files = accessTo(root, {
      deny: ['b/private/*', 'b/a.zip/k2/*'],
      attachments: [{ name: 'z.zip', path: join(root, 'b/a.zip') }],
    });
    for (const archive of ['b/a.zip', 'link']) {
      expect(files.listFiles(`${archive}!/`, { recursive: true })).toEqual([`${archive}!/ok.txt`]);
      for (const name of ['.env', 'k/id_rsa', 'private/x.txt']) {
        expect(errorOf(() => files.readFile(`${archive}!/${name}`, undefined))).toMatchObject({
          code: 'capability_denied',
        });
      }
      expect(search(files, `${archive}!/`, 'SECRET', { count: true }).found).toBe(0);
    }
    expect(errorOf(() => files.readFile('attachments:z.zip!/.env', undefined))).toMatchObject({
      code: 'capability_denied',
    });
    expect(files.readFile('attachments:z.zip!/ok.txt', undefined).toString()).toBe('ok');
    expect(files.attachmentsRead).toEqual(['z.zip']);
  });

  test('the archive itself passes the guard: outside, denied, a FIFO', () => {
    const world = makeFolder({
      'out.zip': zipOf({ a: 'OUT' }),
      'in/.git/a.zip': zipOf({ a: 'OUT' }),
      'in/to.zip': { link: '../out.zip' },
    });
    execFileSync('mkfifo', [join(world, 'in/pipe')]);
    const files = accessTo(join(world, 'in'));
    for (const path of ['../out.zip!/a', '.git/a.zip!/a', 'to.zip!/a', 'pipe!/a', '/etc/x.zip!/a']) {
      expect(
        errorOf(() => files.readFile(path, undefined)),
        path,
      ).toMatchObject({ code: 'capability_denied' });
      expect(
        errorOf(() => files.listFiles(path)),
        path,
      ).toMatchObject({ code: 'capability_denied' });
    }
  });

  test('a bomb ends at what a run may read, as one file and as many that share their data', () => {
    const bomb = zipOf({ a: Buffer.alloc(64 * 2 ** 20, ' ') });
    const small = { maxTotalReadBytes: 2 ** 20 };
    for (const [name, bytes] of [
      ['a.zip', bomb],
      ['a.tgz', gzipSync(tarOf({ a: Buffer.alloc(64 * 2 ** 20, ' ') }))],
    ] as const) {
      const files = accessTo(makeFolder({ [name]: bytes }), small);
      expect(errorOf(() => search(files, `${name}!/a`, 'x', { count: true }))).toMatchObject({
        code: 'limit_exceeded',
      });
      expect(files.bytesRead).toBeLessThanOrEqual(2 ** 20);
    }
    // Each entry of the directory points to the same data.
    const one = zipOf({ aaa: Buffer.alloc(2 ** 20, ' ') });
    const start = one.indexOf('PK\x01\x02');
    const entry = one.subarray(start, one.length - 22);
    const entries = Array.from({ length: 500 }, (_, at) => {
      const copy = Buffer.from(entry);
      copy.write(String(100 + at), 46);
      return copy;
    });
    const end = Buffer.from(one.subarray(-22));
    const all = Buffer.concat(entries);
    end.writeUInt32LE(all.length, 12);
    end.writeUInt16LE(500, 8);
    end.writeUInt16LE(500, 10);
    const shared = Buffer.concat([one.subarray(0, start), all, end]);
    const files = accessTo(makeFolder({ 'a.zip': shared }), { maxTotalReadBytes: 8 * 2 ** 20 });
    expect(errorOf(() => search(files, 'a.zip!/', 'x', { count: true }))).toMatchObject({ code: 'limit_exceeded' });
  });

  test('sizes and checksums that lie, a password, another packing, two of one name, and 4 GB', () => {
    const zip = zipOf({ a: 'hello hello hello', b: 'x' });
    const at = zip.indexOf('PK\x01\x02');
    const changed = (change: (copy: Buffer) => void): Buffer => {
      const copy = Buffer.from(zip);
      change(copy);
      return copy;
    };
    expect(
      failed(
        changed((copy) => copy.writeUInt32LE(5, at + 24)),
        'a',
      ).message,
    ).toContain('not what the archive says');
    expect(
      failed(
        changed((copy) => copy.writeUInt32LE(5_000, at + 24)),
        'a',
      ).message,
    ).toContain('not what the archive says');
    expect(
      failed(
        changed((copy) => copy.writeUInt32LE(1, at + 16)),
        'a',
      ).message,
    ).toContain('not what the archive says');
    expect(
      failed(
        changed((copy) => copy.writeUInt16LE(1, at + 8)),
        'a',
      ).message,
    ).toContain('locked by a password');
    expect(
      read(
        changed((copy) => copy.writeUInt16LE(1, at + 8)),
        'b',
      ),
    ).toBe('x');
    expect(
      failed(
        changed((copy) => copy.writeUInt16LE(9, at + 10)),
        'a',
      ).message,
    ).toContain('nothing here reads');
    expect(
      failed(
        changed((copy) => copy.write('a', zip.lastIndexOf('PK\x01\x02') + 46)),
        'a',
      ).message,
    ).toContain('more than once');
    expect(
      failed(
        changed((copy) => copy.writeUInt16LE(0xffff, copy.length - 12)),
        'a',
      ).message,
    ).toContain('4 GB');
    const twice = Buffer.concat([tarOf({ a: '1' }).subarray(0, 1024), tarOf({ a: '2' })]);
    expect(failed(twice, 'a', 'a.tar').message).toContain('more than once');
  });

  test('archives in archives are refused, with what to do', () => {
    const inner = zipOf({ 'x.txt': 'x' });
    const bytes = zipOf({ 'in.zip': inner, 'in.tgz': gzipSync(tarOf({ a: 'a' })) });
    expect(failed(bytes, 'in.zip!/x.txt').message).toContain('an archive within an archive');
    for (const name of ['in.zip', 'in.tgz']) expect(() => read(bytes, name)).toThrow(/unpack it|is gzip/);
    const files = accessTo(makeFolder({ 'a.zip': bytes }));
    expect(errorOf(() => search(files, 'a.zip!/in.tgz', 'a', undefined)).message).toMatch(/tar archive.*unpack it/);
    expect(errorOf(() => files.readFile('a.zip!/in.zip', undefined)).message).toMatch(/ZIP archive.*unpack it/);
  });

  test.each(['a.zip', 'a.tar', 'a.tar.gz'])(
    '%s that is cut off or broken anywhere gives what is in it, or an error',
    (name) => {
      const whole = (archives[name] as () => Buffer)();
      const alone = content['server.log'] as string;
      fc.assert(
        fc.property(fc.nat(whole.length - 1), fc.boolean(), fc.nat(255), (at, isCut, byte) => {
          const bytes = isCut ? whole.subarray(0, at) : Buffer.from(whole);
          if (!isCut) bytes[at] = byte;
          const files = accessTo(makeFolder({ [name]: bytes }));
          let text: string;
          try {
            text = files.readFile(`${name}!/server.log`, undefined).toString();
          } catch (error) {
            expect(error).toHaveProperty('code', expect.stringMatching(/^(?:script_error|capability_denied)$/));
            return;
          }
          // A plain tar has no checksum of what is in it.
          if (name === 'a.tar') expect(text.length).toBe(alone.length);
          else expect(text).toBe(alone);
        }),
        runs(60, 10),
      );
    },
  );

  test('5 GB of nothing behind it, before it, and a header that promises as much', () => {
    const root = makeFolder({ 'a.tar': tarOf({ a: 'x' }).subarray(0, 1024), 'b.tar': tarOf({ a: 'x' }), c: '' });
    truncateSync(join(root, 'a.tar'), 5 * 2 ** 30);
    truncateSync(join(root, 'c'), 5 * 2 ** 30);
    const files = accessTo(root, { maxTotalReadBytes: 2 ** 20 });
    expect(files.readFile('a.tar!/a', undefined).toString()).toBe('x');
    expect(errorOf(() => files.readFile('c!/a', undefined)).message).toContain('no archive');
    const promising = readFileSync(join(root, 'b.tar'));
    promising.write('77777777777', 124);
    promising.write('        ', 148);
    promising.write(
      `${promising
        .subarray(0, 512)
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    );
    expect(failed(promising, 'a', 'a.tar').message).toContain('cut off');
  });

  test.skipIf(process.platform !== 'linux')('no call leaves a descriptor open', async () => {
    const files = accessTo(makeFolder({ 'a.zip': zipOf(content), 'b.zip': 'PK\x03\x04', d: 'x' }));
    mkdirSync(join(makeFolder(), 'x'));
    const open = (): number => readdirSync('/proc/self/fd').length;
    await query(files, ['select 1', { t: 'a.zip!/app/data.csv' }]);
    const before = open();
    for (const path of [
      'a.zip!/server.log',
      'a.zip!/app',
      'a.zip!/no',
      'a.zip!/.env',
      'b.zip!/x',
      'd!/x',
      'a.zip!/a!/b',
      'no!/x',
    ]) {
      for (const [, , reader] of readers) {
        try {
          await reader(files, path);
        } catch {
          // Which of them throw is the matter of other tests.
        }
      }
      for (const call of [
        (): unknown => files.listFiles(path),
        (): unknown => files.findFiles(path, undefined),
        (): unknown => pdfText(files, [path]),
      ]) {
        try {
          await call();
        } catch {
          // As above.
        }
      }
    }
    files.lineReaders[Symbol.dispose]();
    expect(open()).toBeLessThanOrEqual(before + 1);
  });
});

test('Parquet in an archive, broken rows and no rows of a table are said', async () => {
  const files = accessTo(
    makeFolder({
      'a.zip': zipOf({
        'p.parquet': 'PAR1xxxxPAR1',
        'bad.csv': 'a,b\n1,2\n3\n',
        'open.csv': 'a,b\n"1,2\n',
        'none.csv': '',
        'bad.ndjson': '{"a":1}\n{"a"\n',
        'bin.csv': Buffer.from([0, 1, 2, 200]),
      }),
    }),
  );
  const said = async (path: string | object): Promise<string> =>
    await query(files, ['select * from t', { t: path }]).then(
      () => 'nothing',
      (error: Error) => error.message,
    );
  expect(await said('a.zip!/p.parquet')).toContain('Parquet in an archive');
  expect(await said('a.zip!/bad.csv')).toContain('line 3 of "a.zip!/bad.csv" has 1 cells');
  expect(await said({ path: 'a.zip!/bad.csv', ignoreErrors: true })).toBe('nothing');
  expect(await said('a.zip!/open.csv')).toContain('never closed');
  expect(await said('a.zip!/none.csv')).toContain('is empty');
  expect(await said('a.zip!/bad.ndjson')).toMatch(/JSON/);
  expect(await said('a.zip!/bin.csv')).toContain('not text');
});

test('a line of a megabyte of separators is cut in no time', async () => {
  const files = accessTo(makeFolder({ 'a.zip': zipOf({ 'a.csv': `${','.repeat(3 * 2 ** 20)}\n`.repeat(2) }) }));
  await expect(query(files, ['select 1 from t', { t: 'a.zip!/a.csv' }])).rejects.toThrow(/more than 2000 columns/);
});
