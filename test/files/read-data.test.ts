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
