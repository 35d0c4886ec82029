// Mails: what Python's library wrote, compared with what that says they hold, and mails that are made to hold up.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { SandboxError } from '@mustard-sandbox/protocol';
import { readData } from '../../packages/sandbox-daemon/src/files/data/read-data.ts';
import { query } from '../../packages/sandbox-daemon/src/files/query/query.ts';
import { accessTo, makeFolder, type Layout } from './support.ts';

const folder = new URL('fixtures/mail/', import.meta.url);
const mbox = readFileSync(new URL('mails.mbox', folder));
const said = JSON.parse(readFileSync(new URL('mails.json', folder), 'utf8')) as Record<string, unknown>[];

type Mail = Record<string, unknown>;
interface Page {
  records: Mail[];
  next?: number;
}

const read = async (name: string, content: string | Buffer, options?: object): Promise<unknown> =>
  JSON.parse(JSON.stringify(await readData(accessTo(makeFolder({ [name]: content })), [name, options])));
const failure = async (name: string, content: string | Buffer, options?: object): Promise<SandboxError> =>
  (await read(name, content, options).then(
    (value) => expect.unreachable(JSON.stringify(value).slice(0, 200)),
    (error: unknown) => error,
  )) as SandboxError;

const without = (record: Mail, name: string): Mail =>
  Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));

/** Reads an mbox page by page, as a script does. */
async function inPages(name: string, content: string | Buffer, limit: number): Promise<Mail[][]> {
  const pages: Mail[][] = [];
  for (let start: number | undefined = 0; start !== undefined;) {
    const page = (await read(name, content, { start, limit })) as Page;
    pages.push(page.records);
    start = page.next;
  }
  return pages;
}

const mail = (body: string, ...headers: string[]): string =>
  ['From: a@x.org', 'Subject: s', 'MIME-Version: 1.0', ...headers, '', body].join('\n');
const post = (one: string): string => `From a@x.org Fri Mar  1 10:00:00 2024\n${one}\n\n`;

describe('an mbox', () => {
  test('has the mails that its writer says, with all of their words', async () => {
    const mails = (await read('a.mbox', mbox)) as Mail[];
    expect(mails.map((one) => without(one, 'size'))).toEqual(said);
    expect(mails.reduce((sum, { size }) => sum + (size as number), 0)).toBe(mbox.length);
    expect(await read('Inbox', mbox)).toEqual(mails);
    expect(await read('a.mbox.gz', gzipSync(mbox))).toEqual(mails);
    const withReturns = mbox.toString('latin1').replaceAll('\n', '\r\n');
    const same = (await read('a.mbox', Buffer.from(withReturns, 'latin1'))) as Mail[];
    expect(same.map(({ subject, from }) => ({ subject, from }))).toEqual(
      mails.map(({ subject, from }) => ({ subject, from })),
    );
  });

  test.each([1, 2, 3, 100])('is read %i at a time, each mail once', async (limit) => {
    const mails = await read('a.mbox', mbox);
    for (const [name, content] of [
      ['a.mbox', mbox],
      ['a.mbox.gz', gzipSync(mbox)],
    ] as const) {
      const pages = await inPages(name, content, limit);
      expect(pages.flat()).toEqual(mails);
      expect(pages.map(({ length }) => length).slice(0, -1)).toEqual(
        Array.from({ length: pages.length - 1 }, () => limit),
      );
    }
  });

  test('of 40 MB is read in pages, of which each fits, and as a whole says how', async () => {
    const one = post(mail('x'.repeat(100_000)));
    const content = one.repeat(400);
    expect(await failure('a.mbox', content)).toMatchObject({
      code: 'limit_exceeded',
      message: expect.stringContaining('{ start: next, limit: 100 }') as string,
    });
    const pages = await inPages('a.mbox', content, 100);
    expect(pages.flat()).toHaveLength(400);
    expect(pages.length).toBeGreaterThan(10);
  });

  test('begins a mail only where a header follows a line From after an empty one', async () => {
    const body =
      'From here on\n\nFrom now on, all is well.\nIndeed.\n\n>From Paul:\n\n>>From twice\nFrom x y\nSubject: no';
    const mails = (await read('a.mbox', post(mail(body)) + post(mail('2')))) as Mail[];
    expect(mails.map(({ text }) => text)).toEqual([body.replaceAll(/^>(>*From )/gm, '$1'), '2']);
  });

  test('is cut between any two bytes that are read together', async () => {
    // Mails of many lengths have their first lines at every place of what is read at once.
    const mails = Array.from({ length: 300 }, (_, at) => mail(String(at).padEnd(((at * 7919) % 9_001) + 500, '.')));
    const records = (await read('a.mbox', mails.map(post).join(''))) as Mail[];
    expect(records.map(({ text }) => Number.parseInt(text as string, 10))).toEqual(mails.map((_, at) => at));
  });

  test('is none where it does not begin with a mail, and start is where one begins', async () => {
    expect(await failure('a.mbox', 'hello\n')).toMatchObject({
      code: 'script_error',
      message: expect.stringContaining('is no MBOX') as string,
    });
    expect(await failure('a.mbox', mbox, { start: 7 })).toMatchObject({ code: 'invalid_request' });
    expect(await read('a.mbox', mbox, { start: mbox.length })).toEqual({ records: [] });
    expect(await read('a.mbox', '')).toEqual([]);
    expect(await failure('a.yaml', 'a: 1', { limit: 1 })).toMatchObject({ code: 'invalid_request' });
  });
});

describe('one mail', () => {
  const one = (content: string | Buffer, options?: object): Promise<Mail> =>
    read('a.eml', content, options) as Promise<Mail>;

  test('is a record, in whatever encoding its parts are', async () => {
    const [first] = mbox.toString('latin1').split(/(?<=\n\n)(?=From M)/) as [string];
    const { size, ...record } = await one(Buffer.from(first, 'latin1'));
    expect(record).toEqual(said[0]);
    expect(size).toBe(first.length);
    const raw = Buffer.concat([
      Buffer.from(mail('', 'Content-Type: text/plain; charset=windows-1252', 'Content-Transfer-Encoding: 8bit')),
      Buffer.from([0x80, 0x20, 0x93, 0xe4, 0x94]),
    ]);
    expect(await one(raw)).toMatchObject({ text: '\u20ac \u201c\u00e4\u201d' });
    const wide = Buffer.from(`\ufeff${mail('größe', 'Content-Type: text/plain; charset=utf-8')}`, 'utf16le');
    expect(await one(wide)).toMatchObject({ text: 'größe', subject: 's' });
    expect(await read('mail', `Return-Path: <a@x.org>\n${mail('x')}`)).toMatchObject({ text: 'x' });
    expect(await one(mail('x'), { pointer: '/from/address' })).toBe('a@x.org');
  });

  test.each([
    ['Fri, 1 Mar 2024 10:00:00 +0100', '2024-03-01T09:00:00.000Z'],
    ['Fri, 1 Mar 2024 10:00:00 -0500 (EST)', '2024-03-01T15:00:00.000Z'],
    ['1 Mar 2024 10:00 GMT', '2024-03-01T10:00:00.000Z'],
    ['Fri, 1 Mar 2024 10:00:00', '2024-03-01T10:00:00.000Z'],
    ['soon', null],
    ['', null],
  ])('of %j has the time %j', async (date, expected) => {
    expect(await one(mail('x', `Date: ${date}`))).toMatchObject({ date: expected });
  });

  test.each(['hello', 'a: 1\nb: 2\n', '\n\nFrom: a@x.org\n', '{"from": 1}'])('%j is none', async (content) => {
    expect(await failure('a.eml', content)).toMatchObject({
      code: 'script_error',
      message: expect.stringContaining('is no EML') as string,
    });
  });

  test('a cut one has what is left of it', async () => {
    const report = mbox.subarray(mbox.indexOf('Message-ID: <2@'), mbox.indexOf('Message-ID: <3@'));
    const cut = await one(report.subarray(0, 2_000));
    expect(cut).toMatchObject({ subject: 'Report', text: 'See the files.' });
  });
});

describe('a mail that is made to hold up', () => {
  const parts = (type: string, count: number): string => {
    const boundaries = Array.from({ length: count }, (_, at) => `b${at}`);
    const open = boundaries.map((b) => `Content-Type: ${type}; boundary=${b}\n\n--${b}\n`).join('');
    return `From: a@x.org\n${open}\nx\n`;
  };
  const seconds = async <T>(work: Promise<T>): Promise<T> => {
    const began = performance.now();
    const result = await work;
    expect(performance.now() - began).toBeLessThan(60_000);
    return result;
  };
  const outcome = async (content: string): Promise<Mail | SandboxError> =>
    (await read('a.eml', content).catch((error: unknown) => error)) as Mail | SandboxError;

  test.each([
    ['parts in parts', parts('multipart/mixed', 20_000)],
    ['mails in mails', `From: a@x.org\n${'Content-Type: message/rfc822\n\n'.repeat(20_000)}x`],
    [
      'parts by the million',
      mail('', 'Content-Type: multipart/mixed; boundary=b') + '--b\n\n'.repeat(1_000_000) + '--b--\n',
    ],
    ['headers by the hundred thousand', 'To: a@x.org\n'.repeat(400_000)],
    ['people by the million', `From: a@x.org\nTo: ${'a@x,'.repeat(120_000)}\n\nx`],
    ['groups in groups', `From: a@x.org\nTo: ${'g:'.repeat(60_000)}\n\nx`],
    ['comments in comments', `From: ${'('.repeat(250_000)}\n\nx`],
    ['words in code by the hundred thousand', `From: a@x.org\nSubject: ${'=?utf-8?q?=41?= '.repeat(30_000)}\n\nx`],
    ['empty lines by the million', `From: a@x.org\n\n${'\n'.repeat(16 * 2 ** 20)}`],
    ['long lines by the hundred thousand', `From: a@x.org\n\n${`${'x'.repeat(76)}\n`.repeat(218_000)}`],
    ['elements in elements', mail('<b>'.repeat(300_000) + '</i>'.repeat(300_000), 'Content-Type: text/html')],
    ['base64 of anything', mail('QUI='.repeat(2 ** 22), 'Content-Transfer-Encoding: base64')],
    ['quoted-printable of anything', mail('=G=\n'.repeat(2 ** 20), 'Content-Transfer-Encoding: quoted-printable')],
    ['a charset that nobody knows', mail('x', `Content-Type: text/plain; charset=${'x'.repeat(100_000)}`)],
  ])('by %s gives a bounded record or an error with a code', { timeout: 90_000 }, async (_, content) => {
    const given = await seconds(outcome(content));
    if (given instanceof Error) expect(given).toHaveProperty('code', 'script_error');
    else expect(JSON.stringify(given).length).toBeLessThan(4 * 2 ** 20);
  });

  test('of 40 MB has its first texts, all of its size, and says that it is cut', async () => {
    const file = 'QUJD'.repeat(19) + '\n';
    const content = mail(
      `--b\n\nhello\n--b\nContent-Type: x/y; name=big.bin\nContent-Transfer-Encoding: base64\n\n${file.repeat(520_000)}--b--\n`,
      'Content-Type: multipart/mixed; boundary=b',
    );
    const record = await one(content);
    expect(record).toMatchObject({ text: 'hello', size: content.length, truncated: true });
    const [attachment] = record['attachments'] as { name: string; size: number }[];
    expect(attachment).toMatchObject({ name: 'big.bin' });
    expect(attachment?.size).toBeLessThan(16 * 2 ** 20);
  });

  const one = (content: string): Promise<Mail> => read('a.eml', content) as Promise<Mail>;

  test('does not keep the others of its mbox from being read', async () => {
    const bad = post(`X: y\n${'To: a@x.org\n'.repeat(100_000)}\nx`);
    const mails = (await read('a.mbox', post(mail('1')) + bad + post(mail('3')))) as Mail[];
    expect(mails.map(({ text, problem }) => problem ?? text)).toEqual([
      '1',
      expect.stringContaining('header size') as string,
      '3',
    ]);
  });

  test('has names like __proto__ as data', async () => {
    const record = await one(mail('x', '__proto__: y', 'To: __proto__ <constructor@x.org>'));
    expect(record['to']).toEqual([{ name: '__proto__', address: 'constructor@x.org' }]);
    expect(({} as { y?: unknown }).y).toBeUndefined();
  });
});

describe('query', () => {
  const rowsOf = async (layout: Layout, sql: string, table: unknown): Promise<unknown[]> =>
    (await query(accessTo(makeFolder(layout)), [sql, { m: table }])).rows.map((row) => ({ ...row }));

  test('has a row for each mail of an mbox, packed or in an archive', async () => {
    const sql = 'select from_address a, count(*)::int n, sum(size)::int s, max(date) d from m group by 1 order by 1';
    const rows = await rowsOf({ 'a.mbox': mbox }, sql, 'a.mbox');
    expect(rows.map((row) => (row as { n: number }).n)).toEqual([1, 4, 1, 1]);
    expect(rows[1]).toMatchObject({ a: 'd@example.org', d: '2024-03-04T00:00:00' });
    expect(await rowsOf({ 'a.mbox.gz': gzipSync(mbox) }, sql, 'a.mbox.gz')).toEqual(rows);
    const tar = execFileSync('tar', ['cf', '-', 'a.mbox'], { cwd: makeFolder({ 'a.mbox': mbox }) });
    expect(await rowsOf({ 'a.tar': tar }, sql, 'a.tar!/a.mbox')).toEqual(rows);
  });

  test('has a column for what a mail says, with lists as texts', async () => {
    const sql = "select * exclude (text, size) from m where attachments <> '' or cc_addresses <> '' order by date";
    const nothing = { cc_addresses: '', attachments: '', problem: null, filename: 'a.mbox' };
    expect(await rowsOf({ 'a.mbox': mbox }, sql, 'a.mbox')).toEqual([
      {
        ...nothing,
        id: '<1@example.org>',
        date: '2024-03-01T09:00:00',
        from_name: 'Ünal Öz',
        from_address: 'unal@example.org',
        to_addresses: 'jane@example.org, bob@example.org',
        cc_addresses: 'a@example.org, b@example.org',
        subject: said[0]?.['subject'],
      },
      {
        ...nothing,
        id: '<2@example.org>',
        date: '2024-03-03T04:30:00',
        from_name: '',
        from_address: 'b@example.org',
        to_addresses: 'c@example.org',
        subject: 'Report',
        attachments: 'größe.csv, data.bin',
      },
    ]);
  });

  test('takes the mails of a folder by a pattern, and lines where the script asks for them', async () => {
    const layout = { 'in/a.eml': mail('1'), 'in/b.eml': mail('2'), 'in/c.mbox': post(mail('3')) };
    expect(await rowsOf(layout, 'select filename, text from m order by 1', 'in/*')).toEqual([
      { filename: 'in/a.eml', text: '1' },
      { filename: 'in/b.eml', text: '2' },
      { filename: 'in/c.mbox', text: '3' },
    ]);
    const lines = await rowsOf(layout, 'select count(*)::int n from m', { path: 'in/c.mbox', format: 'lines' });
    expect(lines).toEqual([{ n: 7 }]);
    await expect(rowsOf({ ...layout, 'in/d.csv': 'a,b\n' }, 'select 1 from m', 'in/*')).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(rowsOf({ 'a.eml': 'hello' }, 'select 1 from m', 'a.eml')).rejects.toThrow('is no EML');
  });

  test('of more mails than fit into memory says so', { timeout: 60_000 }, async () => {
    const content = post(mail('x'.repeat(500_000).replaceAll('xxxxx', () => Math.random().toString(36).slice(2, 7))));
    const error = await rowsOf({ 'a.mbox': content.repeat(420) }, 'select count(*) from m', 'a.mbox').catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: 'limit_exceeded', details: { limit: 'query_bytes' } });
  });
});
