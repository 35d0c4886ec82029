// What the main thread does of a call that runs in the other thread. What the built-ins give is tried where they are.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Aside } from '../../packages/sandbox-daemon/src/files/aside/aside.ts';
import { openFileAccess, type FileAccess } from '../../packages/sandbox-daemon/src/files/index.ts';
import { SandboxError, scopeSchema, type ScopeOptions } from '@mustard-sandbox/protocol';
import { errorOf, makeFolder } from './support.ts';

const program = new URL('../../packages/sandbox-daemon/dist/aside-thread.cjs', import.meta.url);
const pdf = readFileSync(new URL('fixtures/three-pages.pdf', import.meta.url));

const aside = new Aside(program);

/** @param isOver asked often while a call is under way */
function accessTo(options: ScopeOptions, isOver = (): boolean => false): FileAccess {
  const check = (): void => {
    if (isOver()) throw new SandboxError('timeout', 'over');
  };
  return openFileAccess(scopeSchema.parse(options), undefined, { check });
}

/** Ends a run some looks after its call began. */
function overAfter(looks: number): () => boolean {
  let left = looks;
  return () => left-- <= 0;
}

test('a call is answered while the event loop stands, and what it read counts to its run', () => {
  const root = makeFolder({ 'a.csv': 'n\n1\n2\n3\n', 'a.pdf': pdf });
  const attachments = [{ name: 'x.csv', path: `${root}/a.csv` }];
  const files = accessTo({ root, attachments });
  const turns: unknown[] = [];
  setImmediate(() => turns.push('turned'));
  const sum = aside.call(files, 'query', ['select sum(n)::int as s from t', { t: 'attachments:x.csv' }]);
  expect(sum).toEqual({ json: { rows: [{ s: 6 }], truncated: false } });
  expect(files.bytesRead).toBe(8);
  expect(files.attachmentsRead).toEqual(['x.csv']);
  const pages = aside.call(files, 'pdf_text', ['a.pdf']) as { json: string[] };
  expect(pages.json).toHaveLength(3);
  expect(files.bytesRead).toBe(8 + pdf.length);
  aside.call(files, 'query', ['select * from range(2000)']);
  expect([...files.cutShort]).toEqual(['query']);
  expect(aside.hasDuckDB).toBe(true);
  expect(turns).toEqual([]);
});

test('what a built-in throws has its code, its words and its facts', () => {
  const root = makeFolder({ 'a.csv': 'n\n1\n', '.env': '' });
  const files = accessTo({ root, maxTotalReadBytes: 5 });
  expect(errorOf(() => aside.call(files, 'pdf_text', ['.env']))).toMatchObject({
    code: 'capability_denied',
    message: 'pdf_text: ".env" is refused: names like this are on the denylist.',
    details: { capability: 'pdf_text', path: '.env' },
  });
  const one = (): unknown => aside.call(files, 'query', ['select * from t', { t: 'a.csv' }]);
  expect(one()).toMatchObject({ json: { rows: [{ n: 1 }] } });
  // What was read before counts in the other thread, too.
  expect(errorOf(one)).toMatchObject({ code: 'limit_exceeded', details: { limit: 'total_read_bytes', actual: 8 } });
});

test('values that JSON does not have come through', () => {
  const given = aside.call(accessTo({}), 'query', ["select 'nan'::double as n, '-0'::double as z, 1 as __proto__"]);
  const { rows } = (given as { tagged: { rows: object[] } }).tagged;
  expect(Object.entries(rows[0] ?? {})).toEqual([
    ['n', { $: 'NaN' }],
    ['z', { $: '-0' }],
    ['__proto__', 1],
  ]);
});

test('a query whose run is over ends at once, and the thread answers the next one', () => {
  const files = accessTo({}, overAfter(100));
  const forever = 'select count(*) from range(10000000) a, range(10000000) b where (a.range * b.range) % 7 = 3';
  expect(errorOf(() => aside.call(files, 'query', [forever]))).toMatchObject({ code: 'timeout', message: 'over' });
  expect(aside.call(accessTo({}), 'query', ['select 1 as n'])).toMatchObject({ json: { rows: [{ n: 1 }] } });
});

test('a thread that does not end its call is left, and the next call has another one', () => {
  const root = makeFolder({ 'a.pdf': pdf });
  // At the first look the library is still loading, which nothing interrupts.
  const fresh = new Aside(program);
  expect(
    errorOf(() =>
      fresh.call(
        accessTo({ root }, () => true),
        'pdf_text',
        ['a.pdf'],
      ),
    ),
  ).toMatchObject({
    code: 'timeout',
  });
  expect(fresh.call(accessTo({ root }), 'pdf_text', ['a.pdf', { pages: [1, 1] }])).toMatchObject({
    json: [expect.stringContaining('Chapter 1')],
  });
});

test('a call gets its own answer, whenever the thread tells of it', () => {
  const late = new Aside(new URL('fixtures/early-notice.mjs', import.meta.url));
  const files = accessTo({ root: makeFolder({}) });
  // The thread told of the call before when this one waited, and each call got the answer to the one before.
  for (const answer of ['1', '2', '3', '4']) expect(late.call(files, 'query', [answer])).toBe(Number(answer));
  expect(() => late.call(files, 'read_data', ['5'])).toThrow('The answer to a call of read_data was lost.');
  expect(late.call(files, 'query', ['6'])).toBe(6);
});
