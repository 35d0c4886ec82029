// Files that are made to hold up or to take in whoever reads them. Those that take seconds are in `npm run stress -- files`.
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { FileAccess } from '../../packages/sandbox-daemon/src/files/index.ts';
import type { AsideContext } from '../../packages/sandbox-daemon/src/files/context.ts';
import { readJson } from '../../packages/sandbox-daemon/src/files/json/read-json.ts';
import { readData } from '../../packages/sandbox-daemon/src/files/data/read-data.ts';
import { readSheet } from '../../packages/sandbox-daemon/src/files/sheets/read-sheet.ts';
import { pdfText } from '../../packages/sandbox-daemon/src/files/pdf-text.ts';
import { profile } from '../../packages/sandbox-daemon/src/files/profile/profile.ts';
import { query } from '../../packages/sandbox-daemon/src/files/query/query.ts';
import { readLines } from '../../packages/sandbox-daemon/src/files/read-lines.ts';
import { search } from '../../packages/sandbox-daemon/src/files/search/index.ts';
import { accessTo, errorOf, makeFolder } from './support.ts';

const rows = Array.from({ length: 3000 }, (_, at) => `${at},x${(at * 7919) % 1009}\n`).join('');
const csv = Buffer.from(`a,b\n${rows}`);
const packed = gzipSync(csv);

type Access = FileAccess & AsideContext;

const count = (format?: string) => async (files: Access, path: string) =>
  (await query(files, ['select count(*) as n from t', { t: format === undefined ? path : { path, format } }]))
    .rows[0]?.['n'];

/** What reads a whole file, by its name. */
const readers: Record<string, (files: Access, path: string) => Promise<unknown>> = {
  search: async (files, path) => search(files, path, 'x', { count: true }),
  lines: async (files, path) => await loop(files, path),
  read_lines: async (files, path) => readLines(files, path, { tail: 2 }).toString(),
  read_json: async (files, path) => readJson(files, [path, { pointer: '' }]),
  'query as csv': count('csv'),
  'query as json': count('json'),
  'query as lines': count('lines'),
  'query as parquet': count('parquet'),
  profile: async (files, path) => await profile(files, [path]),
  'profile of lines': async (files, path) => await profile(files, [path, { format: 'lines' }]),
  read_data: async (files, path) => await readData(files, [path, { format: 'yaml' }]),
  'read_data of a page': async (files, path) => await readData(files, [path, { format: 'html' }]),
  'read_data of a calendar': async (files, path) => await readData(files, [path, { format: 'ics' }]),
  'read_data of a mail': async (files, path) => await readData(files, [path, { format: 'eml' }]),
  'read_data of an mbox': async (files, path) => await readData(files, [path, { format: 'mbox' }]),
  read_sheet: async (files, path) => readSheet(files, [path]),
  pdf_text: async (files, path) => await pdfText(files, [path]),
};

async function loop(files: FileAccess, path: string): Promise<number> {
  let ended = 0;
  for (let bytes; (bytes = files.lineReaders.next(files, path, undefined, 1)).length > 0;)
    ended += bytes.toString('latin1').split('\n').length - 1;
  return ended;
}

const names = Object.keys(readers) as [string, ...string[]];
const reader = (name: string): ((files: Access, path: string) => Promise<unknown>) => readers[name] as never;
const text = names.filter((name) => !['pdf_text', 'query as parquet', 'read_sheet'].includes(name));

describe.each(names)('%s', (name) => {
  test('of 5 GB of nothing reads no more than a run may, and says so', async () => {
    const root = makeFolder({ a: '' });
    truncateSync(join(root, 'a'), 5 * 2 ** 30);
    const files = accessTo(root, { maxTotalReadBytes: 4 * 2 ** 20 });
    await expect(reader(name)(files, 'a')).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:limit_exceeded|script_error)$/) as string,
      message: expect.stringMatching(/is not text|is no text|no ZIP|not one JSON value|bytes/) as string,
    });
    expect(files.bytesRead).toBeLessThanOrEqual(4 * 2 ** 20);
  });

  test.skipIf(process.platform === 'win32')('does not wait for the other end of a FIFO', async () => {
    const root = makeFolder();
    execFileSync('mkfifo', [join(root, 'a')]);
    await expect(reader(name)(accessTo(root), 'a')).rejects.toMatchObject({ code: 'capability_denied' });
  });
});

describe.each(text)('%s', (name) => {
  test.each([
    ['cut off', packed.subarray(0, packed.length >> 1)],
    ['broken in the middle', Buffer.from(packed).fill(0xff, packed.length >> 1, (packed.length >> 1) + 40)],
    ['without its checksum', packed.subarray(0, -4)],
  ])('gives nothing of gzip that is %s', async (_, bytes) => {
    await expect(reader(name)(accessTo(makeFolder({ 'a.csv.gz': bytes })), 'a.csv.gz')).rejects.toMatchObject({
      code: 'script_error',
    });
  });

  test('ends at the limit of what a run may read, whatever a small file of gzip holds', async () => {
    const root = makeFolder({ 'a.gz': gzipSync('1,2\n'.repeat(2 ** 20)) });
    await expect(reader(name)(accessTo(root, { maxTotalReadBytes: 2 ** 20 }), 'a.gz')).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:limit_exceeded|script_error)$/) as string,
    });
  });
});

test('a bomb of gzip as a table is limit_exceeded', async () => {
  const files = accessTo(makeFolder({ 'a.csv.gz': gzipSync('1,2\n'.repeat(2 ** 20)) }), { maxTotalReadBytes: 2 ** 20 });
  await expect(count()(files, 'a.csv.gz')).rejects.toMatchObject({
    code: 'limit_exceeded',
    details: { limit: 'total_read_bytes', path: 'a.csv.gz' },
  });
});

describe('an archive', () => {
  const folder = (): string => makeFolder({ 'a.csv': 'a,b\n1,x\n2,y\n', 'b.csv': csv });
  const packedBy = (program: string, ...args: string[]): Buffer =>
    execFileSync(program, [...args, 'a.csv', 'b.csv'], { cwd: folder(), maxBuffer: 2 ** 24 });
  /** Header and data as they were before there was a word by which to tell them. */
  const oldTar = (): Buffer => {
    const header = Buffer.alloc(512);
    const fields = {
      0: 'a.csv',
      100: '0000644',
      108: '0000000',
      116: '0000000',
      124: '00000000004',
      136: '0',
      148: ' '.repeat(8),
    };
    for (const [at, field] of Object.entries(fields)) header.write(field, Number(at));
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    );
    return Buffer.concat([header, Buffer.from('1,2\n'.padEnd(512, '\0')), Buffer.alloc(1024)]);
  };
  const zip = (): Buffer => Buffer.from('PK\x03\x04\x0a\0\0\0\0\0'.padEnd(26, '\0') + '\x05\0\0\0a.csva,b\n1,2\n');
  const tarOf = /tar archive(?:, compressed by (?:gzip|zstd))?: list_files\(".+!\/"\)/;
  const zipOf = /ZIP archive.*: list_files\(".+!\/"\)/;
  const archives: [name: string, bytes: () => Buffer, message: RegExp][] = [
    ['a.tar', () => packedBy('tar', 'cf', '-'), tarOf],
    ['pax.tar', () => packedBy('tar', 'cf', '-', '--format=pax'), tarOf],
    ['old.tar', oldTar, tarOf],
    ['a.tgz', () => packedBy('tar', 'czf', '-'), tarOf],
    ['old.tar.gz', () => gzipSync(oldTar()), tarOf],
    ['a.zip', zip, zipOf],
    ['a.zip.gz', () => gzipSync(zip()), /ZIP archive.*unpack it/],
    ['empty.zip', () => Buffer.from('PK\x05\x06'.padEnd(22, '\0')), zipOf],
    ['a.gz.gz', () => gzipSync(packed), /gzip, compressed by gzip/],
  ];

  describe.each(archives)('%s', (name, bytes, message) => {
    test.each(text)('is refused by %s, with what to do', async (by) => {
      const files = accessTo(makeFolder({ [name]: bytes() }));
      await expect(reader(by)(files, name)).rejects.toMatchObject({
        code: 'script_error',
        message: expect.stringMatching(message) as string,
        details: { name: 'NotReadableError' },
      });
    });

    test('is refused by read_file, whatever range is asked for, and given as base64', () => {
      const content = bytes();
      const files = accessTo(makeFolder({ [name]: content }));
      for (const range of [{}, { start: 2, length: 10 }, { length: 12 }]) {
        expect(errorOf(() => files.readFile(name, range)).message).toMatch(/archive.*base64|is gzip: /);
      }
      expect(files.readFile(name, { encoding: 'base64' }).toString()).toBe(content.toString('base64'));
    });
  });

  test('is left out of a search through a folder, which says so', () => {
    const files = accessTo(makeFolder({ 'a.tar': packedBy('tar', 'cf', '-'), 'a.log': 'x1\n' }));
    const { found, skipped } = search(files, '*', 'x1', { count: true });
    expect({ found, skipped }).toEqual({ found: 1, skipped: [{ path: 'a.tar', why: expect.any(String) }] });
  });

  test('is only what has the sum of a header: a text in columns is none', async () => {
    const columns = `${'a'.repeat(148)}0001234 ${'b'.repeat(600)}\n`;
    const files = accessTo(makeFolder({ a: columns }));
    expect(files.readFile('a', {}).toString()).toBe(columns);
    expect(await loop(files, 'a')).toBe(1);
  });
});

test('what is no text is no table without rows', async () => {
  const files = accessTo(makeFolder({ 'a.docx': 'PK\x03\x04\0\0', 'a.bin': Buffer.from([0, 1, 2, 200, 255]) }));
  await expect(count()(files, 'a.docx')).rejects.toThrow(/is a ZIP archive, .*list_files\("a\.docx!\/"\)/);
  await expect(count('csv')(files, 'a.docx')).rejects.toThrow(/is a ZIP archive/);
  await expect(count()(files, 'a.bin')).rejects.toThrow(/is not text\. \{ path, format: 'csv' \}/);
});

test('a file of an old Office is refused with what to do, by every reader', async () => {
  const ole = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(2_000)]);
  const files = accessTo(makeFolder({ 'a.xls': ole }));
  await expect(count()(files, 'a.xls')).rejects.toThrow(/save it in a newer form: a spreadsheet as \.xlsx/);
  await expect(profile(files, ['a.xls'])).rejects.toThrow(/as \.xlsx/);
  await expect(readData(files, ['a.xls', { format: 'eml' }])).rejects.toThrow(/a mail as \.eml/);
  expect(() => readSheet(files, ['a.xls'])).toThrow(/\.xlsx/);
});

test('a CSV with NUL bytes is read as it is where the script says that it is text', async () => {
  const files = accessTo(makeFolder({ 'a.csv': 'a,b\n1,x\0y\n2,z\n' }));
  await expect(count()(files, 'a.csv')).rejects.toMatchObject({ details: { name: 'NotReadableError' } });
  const table = { t: { path: 'a.csv', format: 'csv', header: true } };
  const { rows } = await query(files, ['select a, length(b) as n from t order by a', table]);
  expect(rows.map((row) => ({ ...row }))).toEqual([
    { a: 1, n: 3 },
    { a: 2, n: 1 },
  ]);
});

test('a file that is a page as well as a PDF is a PDF to pdf_text and a page to the others', async () => {
  const pdf = readFileSync(new URL('fixtures/three-pages.pdf', import.meta.url));
  const page = Buffer.from('<html><script>alert(1)</script><!--\n');
  const files = accessTo(makeFolder({ a: Buffer.concat([page, pdf, Buffer.from('\n--></html>\n')]) }));
  const pages = await pdfText(files, ['a']);
  expect(pages.map((one) => one.split('\n')[0])).toEqual(['Chapter 1', 'Chapter 2', 'Chapter 3']);
  expect(readLines(files, 'a', { start: 1, count: 1 }).toString()).toBe(page.toString());
});

describe('a file that changes while it is read', () => {
  /** Changed between the guard's look and the reading, each time that the built-in lets others run. */
  const whileRunning = async (name: string, change: (file: string) => void): Promise<unknown> => {
    const root = makeFolder({ a: csv });
    const running = reader(name)(accessTo(root), 'a').catch((error: unknown) => error);
    change(join(root, 'a'));
    return await running;
  };

  test.each(names)('%s of one that grows gives what is there, or an error with a code', async (name) => {
    const given = await whileRunning(name, (file) => appendFileSync(file, csv));
    if (given instanceof Error) expect(given).toHaveProperty('code', 'script_error');
    else expect(given).toBeDefined();
  });

  test.each(names)('%s of one that is cut gives what is left, or an error with a code', async (name) => {
    const given = await whileRunning(name, (file) => writeFileSync(file, csv.subarray(0, 100)));
    if (given instanceof Error) expect(given).toHaveProperty('code', 'script_error');
    else expect(given).toBeDefined();
  });
});

test('empty lines by the hundred thousand are all given, some at a time', async () => {
  const files = accessTo(makeFolder({ a: '\n'.repeat(300_000) }));
  let most = 0;
  let all = 0;
  for (let bytes; (bytes = files.lineReaders.next(files, 'a', undefined, 1)).length > 0; all += bytes.length)
    most = Math.max(most, bytes.length);
  expect(all).toBe(300_000);
  expect(most).toBe(50_000);
});

test.each(['', '\n'])('a line that is too long for a table is no row that is left out (end %j)', async (end) => {
  const files = accessTo(makeFolder({ 'a.log': `short\n${'x'.repeat(6 * 2 ** 20)}${end}` }));
  await expect(count()(files, 'a.log')).rejects.toMatchObject({ code: 'script_error' });
  await expect(count()(files, 'a.log')).rejects.toThrow(/search\(path, pattern\)/);
});

test('what is no PDF is not searched for parts of one', async () => {
  const files = accessTo(makeFolder({ a: 'x'.repeat(2000) + '%PDF-1.4' }));
  await expect(pdfText(files, ['a'])).rejects.toThrow('"a" cannot be read: it is no PDF.');
});

test('more objects than the engine can hold are refused with what to ask for', () => {
  const files = accessTo(makeFolder({ a: `{"items":[${'{},'.repeat(160_000)}{}]}` }));
  expect(errorOf(() => readJson(files, ['a', { pointer: '/items' }]))).toMatchObject({
    code: 'limit_exceeded',
    message: expect.stringContaining('{ offset, limit }') as string,
  });
  expect(readJson(files, ['a', { pointer: '/items', offset: 159_999, limit: 5 }])).toEqual([{}, {}]);
});
