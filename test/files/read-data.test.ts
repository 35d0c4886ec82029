import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { SandboxError } from '@mustard-sandbox/protocol';
import { readData } from '../../packages/sandbox-daemon/src/files/data/read-data.ts';
import { accessTo, makeFolder, type Layout } from './support.ts';

const read = async (name: string, content: string | Buffer, options?: object): Promise<unknown> =>
  JSON.parse(JSON.stringify(await readData(accessTo(makeFolder({ [name]: content })), [name, options])));
const failure = async (name: string, content: string | Buffer, options?: object): Promise<SandboxError> =>
  (await read(name, content, options).then(
    (value) => expect.unreachable(JSON.stringify(value).slice(0, 200)),
    (error: unknown) => error,
  )) as SandboxError;

test.each([
  [
    'a.yaml',
    'a: 1\nb: [x, 2.5, null, true]\nc: |\n  two\n  lines\n',
    { a: 1, b: ['x', 2.5, null, true], c: 'two\nlines\n' },
  ],
  ['a.yml', 'a: 1\n---\n- b\n', [{ a: 1 }, ['b']]],
  ['a.yaml', 'a: &x {k: v}\nb: *x\n', { a: { k: 'v' }, b: { k: 'v' } }],
  ['a.yaml', '', null],
  [
    'a.toml',
    'a = 1\n[b.c]\nd = "x"\n[[e]]\nf = 2024-01-01T00:00:00Z\n',
    { a: 1, b: { c: { d: 'x' } }, e: [{ f: '2024-01-01T00:00:00.000Z' }] },
  ],
  [
    'a.xml',
    '<?xml version="1.0"?><r v="1"><i n="007">a &amp; b</i><i/></r>',
    { r: { '@v': '1', i: [{ '#text': 'a & b', '@n': '007' }, ''] } },
  ],
  ['feed.rss', '<r><![CDATA[<b>]]></r>', { r: '<b>' }],
  ['a.json', '[1]', [1]],
])('%s: %j', async (name, content, value) => {
  expect(await read(name, content)).toEqual(value);
  expect(await read(`${name}.gz`, gzipSync(content))).toEqual(value);
});

test('a format by name, and a part by its pointer', async () => {
  expect(await read('config', 'a = 1', { format: 'toml' })).toEqual({ a: 1 });
  expect(await read('a.yaml', 'a: {b/c: [1, {d: 2}]}', { pointer: '/a/b~1c/1/d' })).toBe(2);
  expect(await failure('a.yaml', 'a: 1', { pointer: '/b' })).toMatchObject({ details: { name: 'NotFoundError' } });
  expect(await failure('a.yaml', 'a: 1', { pointer: 'a' })).toMatchObject({ code: 'invalid_request' });
  expect(await failure('a.yaml', 'a: 1', { pointer: '/constructor' })).toMatchObject({
    details: { name: 'NotFoundError' },
  });
  expect(await failure('config', 'a = 1')).toMatchObject({ code: 'invalid_request' });
});

const page = (body: string): string => `<!DOCTYPE html><html><body>${body}</body></html>`;

describe('tables of a page', () => {
  test.each([
    [
      'headings',
      '<table><caption> Sales\n of <b>2024</b></caption><tr><th>Region<th>Total</tr><tr><td>north<td>1&nbsp;000 &euro;</table>',
      [{ caption: 'Sales of 2024', rows: [{ Region: 'north', Total: '1 000 \u20ac' }] }],
    ],
    ['no headings', '<table><tr><td>a</td><td>b</td></tr></table>', [{ rows: [['a', 'b']] }]],
    [
      'headings at the side',
      '<table><tr><th>a</th><td>1</td></tr><tr><th>b</th><td>2</td></tr></table>',
      [
        {
          rows: [
            ['a', '1'],
            ['b', '2'],
          ],
        },
      ],
    ],
    [
      'head, body and foot',
      '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody><tfoot><tr><td>2</td></tr></tfoot></table>',
      [{ rows: [{ a: '1' }, { a: '2' }] }],
    ],
    [
      'cells that span',
      '<table><tr><th colspan=2>a</th><th>b</th></tr><tr><td rowspan=2>x</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>',
      [
        {
          rows: [
            { a: 'x', a_2: '1', b: '2' },
            { a: 'x', a_2: '3', b: '4' },
          ],
        },
      ],
    ],
    [
      'a heading that spans rows',
      '<table><tr><th rowspan=2>a</th><th>b</th></tr><tr><th>c</th></tr><tr><td>1</td><td>2</td></tr></table>',
      [
        {
          rows: [
            { a: 'a', b: 'c' },
            { a: '1', b: '2' },
          ],
        },
      ],
    ],
    [
      'a table in a cell',
      '<table><tr><td>out<table><tr><td>in</td></tr></table>side</td></tr></table>',
      [{ rows: [['outside']] }, { rows: [['in']] }],
    ],
    [
      'scripts, styles and line breaks',
      '<table><tr><td>a<script>var x = "<td>b"</script><style>c</style><br>d</td></tr></table>',
      [{ rows: [['a d']] }],
    ],
    [
      'names that are keys',
      '<table><tr><th>__proto__</th><th></th></tr><tr><td>1</td><td>2</td></tr></table>',
      [{ rows: [JSON.parse('{"__proto__":"1","B":"2"}') as object] }],
    ],
    ['no table', '<p>x</p>', []],
    ['nothing closed', '<table><tr><td>a<td>b<tr><td>c', [{ rows: [['a', 'b'], ['c']] }]],
  ])('%s', async (_, body, tables) => {
    expect(await read('a.html', page(body))).toEqual(tables);
    expect(await read('page', page(body))).toEqual(tables);
  });

  test('a part by its pointer, and XML that is a page by its format', async () => {
    const body = '<table><tr><td>a</td></tr></table>';
    expect(await read('a.htm', body, { pointer: '/0/rows/0/0' })).toBe('a');
    expect(await read('a.xml', body, { format: 'html' })).toEqual([{ rows: [['a']] }]);
  });

  test.each([
    [
      'cells that span a thousand by the thousand',
      `<table>${`<tr>${'<td colspan=1000 rowspan=1000>x'.repeat(100)}</tr>`.repeat(100)}</table>`,
    ],
    ['more cells than a script may get', `<table>${`<tr>${'<td>x'.repeat(100)}</tr>`.repeat(4_000)}</table>`],
    ['elements in elements by the hundred thousand', '<b>'.repeat(200_000) + '</i>'.repeat(200_000)],
    ['tables in tables by the hundred thousand', '<table><tr><td>'.repeat(100_000)],
    ['more text than is read', `<table><tr><td>${'x'.repeat(9 * 2 ** 20)}`],
  ])('%s', async (_, body) => {
    expect(await failure('a.html', page(body))).toMatchObject({
      code: expect.stringMatching(/^(?:script_error|limit_exceeded)$/) as string,
    });
  });
});

describe('entries of a calendar', () => {
  const calendar = (...lines: string[]): string =>
    ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n');

  test('events, tasks, folded lines, escapes, times with and without a zone, and what is there twice', async () => {
    const text = calendar(
      ...[
        'BEGIN:VTIMEZONE',
        'TZID:Europe/Berlin',
        'BEGIN:STANDARD',
        'DTSTART:19701025T030000',
        'END:STANDARD',
        'END:VTIMEZONE',
      ],
      ...[
        'BEGIN:VEVENT',
        'UID:1',
        'DTSTART;TZID="Europe/Berlin":20240301T100000',
        'DTEND:20240301T100000Z',
        'SUMMARY:Long\\, with',
        '  a fold\\nand a line',
      ],
      ...[
        'ATTENDEE;CN="B: ob;":mailto:b@x.org',
        'ATTENDEE:mailto:c@x.org',
        'BEGIN:VALARM',
        'TRIGGER:-PT5M',
        'END:VALARM',
        'RRULE:FREQ=WEEKLY;COUNT=3',
        'END:VEVENT',
      ],
      ...['BEGIN:VTODO', 'UID:2', 'DUE;VALUE=DATE:20240302', 'END:VTODO'],
    );
    const entries = [
      {
        kind: 'event',
        uid: '1',
        dtstart: '2024-03-01T10:00:00',
        tzid: 'Europe/Berlin',
        dtend: '2024-03-01T10:00:00Z',
        summary: 'Long, with a fold\nand a line',
        attendee: ['mailto:b@x.org', 'mailto:c@x.org'],
        rrule: 'FREQ=WEEKLY;COUNT=3',
      },
      { kind: 'todo', uid: '2', due: '2024-03-02' },
    ];
    expect(await read('a.ics', text)).toEqual(entries);
    expect(await read('a.ics', text.replaceAll('\r\n', '\n'))).toEqual(entries);
    expect(await read('feed', text, { pointer: '/1/due' })).toBe('2024-03-02');
    expect(await read('a.ics', calendar())).toEqual([]);
  });

  const event = calendar('BEGIN:VEVENT', 'UID:1', 'END:VEVENT');
  test.each([
    ['cut off', event.slice(0, -20)],
    ['cut off in an event', event.slice(0, 50)],
    ['ends what did not begin', calendar('END:VEVENT')],
    ['is no calendar', 'BEGIN:VCARD\r\nEND:VCARD\r\n'],
    ['is any text', 'hello'],
    ['nests without end', calendar('BEGIN:X\r\n'.repeat(100_000))],
    ['has more than a script may get', calendar(`BEGIN:VEVENT\r\n${'A:1\r\n'.repeat(400_000)}END:VEVENT`)],
  ])('one that %s is refused', async (_, text) => {
    expect(await failure('a.ics', text)).toMatchObject({
      code: expect.stringMatching(/^(?:script_error|limit_exceeded)$/) as string,
    });
  });
});

describe('a file that is made to hold up or take in', () => {
  const aliases = `a0: &a0 [x]\n${Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(10)}]\n`).join('')}`;
  const entities = `<!DOCTYPE r [<!ENTITY a "x">${Array.from({ length: 30 }, (_, at) => `<!ENTITY b${at} "${`&b${at - 1};`.repeat(10)}">`).join('')}]><r>&b29;</r>`;

  test.each([
    ['aliases of aliases', 'a.yaml', aliases],
    ['entities of entities', 'a.xml', entities],
    ['an entity that is a file', 'a.xml', '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>'],
    [
      'an entity far behind the start',
      'a.xml',
      `<!-- ${'x'.repeat(70_000)} --><!DOCTYPE r [<!ENTITY x "y">]><r>&x;</r>`,
    ],
    ['lists in lists by the thousand', 'a.yaml', '['.repeat(20_000)],
    ['elements in elements by the thousand', 'a.xml', '<a>'.repeat(20_000) + '</a>'.repeat(20_000)],
    ['tables in tables by the thousand', 'a.toml', `a = ${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ['a document cut off', 'a.xml', '<a><b>x</b>'],
    ['no YAML', 'a.yaml', 'a: [1\nb: }'],
    ['no TOML', 'a.toml', 'a = = 1'],
    ['a key that is there twice', 'a.yaml', 'a: 1\na: 2'],
  ])('%s', async (_, name, content) => {
    expect(await failure(name, content)).toMatchObject({
      code: expect.stringMatching(/^(?:script_error|limit_exceeded)$/) as string,
    });
  });

  test('more values than a script may get, and more text than is read', async () => {
    expect(await failure('a.yaml', '- 1\n'.repeat(400_000))).toMatchObject({
      code: 'limit_exceeded',
      details: { limit: 'value_items' },
    });
    expect(await failure('a.json', `"${'x'.repeat(17 * 2 ** 20)}"`)).toMatchObject({ code: 'limit_exceeded' });
    expect(await failure('a.yaml.gz', gzipSync('x'.repeat(2 ** 28)))).toMatchObject({ code: 'limit_exceeded' });
  });

  test('tags make nothing but values, and keys like __proto__ are data', async () => {
    expect(await read('a.yaml', 'a: !!js/function "x"\n').catch((error: SandboxError) => error.code)).toSatisfy(
      (given) => given === 'script_error' || JSON.stringify(given) === '{"a":"x"}',
    );
    for (const [name, content] of [
      ['a.yaml', '__proto__: {polluted: 1}\n'],
      ['a.json', '{"__proto__": {"polluted": 1}}'],
    ] as const) {
      const value = await readData(accessTo(makeFolder({ [name]: content })), [name]);
      expect(Object.keys(value as object)).toEqual(['__proto__']);
    }
    await read('a.toml', '[__proto__]\npolluted = 1\n').catch(() => {});
    await read('a.xml', '<__proto__><polluted>1</polluted></__proto__>').catch(() => {});
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('binary files, paths and options are refused as by others', async () => {
    const layout: Layout = { 'a.yaml': 'a: 1', 'b.yaml': Buffer.from([0, 1, 2, 255]), to: { link: '/etc/hostname' } };
    const files = accessTo(makeFolder(layout));
    for (const path of ['../a.yaml', '/etc/a.yaml', 'to', '.env', 7]) {
      await expect(readData(files, [path])).rejects.toMatchObject({ code: 'capability_denied' });
    }
    await expect(readData(files, ['b.yaml'])).rejects.toMatchObject({ code: 'script_error' });
    await expect(readData(files, ['a.yaml', { x: 1 }])).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
