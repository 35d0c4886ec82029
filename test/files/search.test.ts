import { execFileSync } from 'node:child_process';
import { appendFileSync, openSync, closeSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../full.ts';
import type { FileAccess } from '../../packages/sandbox-daemon/src/files/index.ts';
import { search, type SearchAnswer } from '../../packages/sandbox-daemon/src/files/search/index.ts';
import { accessTo, errorOf, makeFolder, openScope } from './support.ts';

interface Row {
  path: string;
  line: number;
  offset: number;
  text: string;
  groups?: Record<string, string | null>;
  before?: string[];
  after?: string[];
}

const regex = ({ source, flags }: RegExp): { source: string; flags: string } => ({ source, flags });
const asked = (pattern: string | RegExp): unknown => (typeof pattern === 'string' ? pattern : regex(pattern));

function find(files: FileAccess, pattern: string | RegExp, options?: object, where = 'a'): SearchAnswer {
  return search(files, where, asked(pattern), options);
}

/** The same by the definition: each line for itself, none with its end. */
function byLines(text: string, pattern: RegExp): { line: number; text: string; match: RegExpExecArray }[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.flatMap((line, index) => {
    const bare = line.endsWith('\r') && index < text.split('\n').length - 1 ? line.slice(0, -1) : line;
    const all = [...bare.matchAll(new RegExp(pattern.source, `${pattern.flags.replace('g', '')}g`))];
    return (pattern.flags.includes('g') ? all : all.slice(0, 1)).map((match) => ({
      line: index + 1,
      text: bare,
      match,
    }));
  });
}

describe('a search gives what a look at each line gives', () => {
  const piece = fc.constantFrom('a', 'b', 'ab', ' ', '\n', '\r\n', '\r', '\n\n', 'é', '😀', '\u2028', 'aab', '\t', '1');
  const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
  const pattern = fc.constantFrom(
    ...[/a/, /a/g, /^a/, /b$/, /^$/, /a+b?/g, /\s/g, /[^b]+/, /[^a]*$/, /\W/gu, /x*/g, /x*/, /(a)|(b)/g, /a(?=b)/],
    ...[/(?<!a)b/g, /(?!\s)./g, /a\s*b/, /[\s\S]+/, /b\b/, /\Ba/g, /(?<first>.)(.)/u, /A/i, /é|😀/g, /.$/gm, /a.b/s],
  );

  test('of any text, for any pattern', () => {
    const root = makeFolder({ a: '' });
    fc.assert(
      fc.property(text, pattern, (content, one) => {
        writeFileSync(join(root, 'a'), content);
        const files = accessTo(root);
        const wanted = byLines(content, one);
        const { found } = find(files, one, { limit: 1000 });
        expect((found as Row[]).map(({ line, text }) => ({ line, text }))).toEqual(
          wanted.map(({ line, text }) => ({ line, text })),
        );
        expect(find(files, one, { count: true }).found).toBe(wanted.length);
        const { found: fields } = find(files, one, { fields: [0], limit: 1000 });
        expect(fields).toEqual(wanted.map(({ match }) => [match[0]]));
        for (const { offset, line } of found as Row[]) {
          const start = Buffer.from(content).subarray(0, offset).toString();
          expect(start.split('\n')).toHaveLength(line);
        }
      }),
      runs(300),
    );
  });

  test('in a text of many blocks, with lines of all lengths', () => {
    const lines = Array.from({ length: 4000 }, (_, index) => `${index} ${'é'.repeat((index * 37) % 200)} end`);
    lines[1234] = `${'x'.repeat(200_000)} needle`;
    const root = makeFolder({ a: lines.join('\r\n') });
    const files = accessTo(root);
    const { found } = find(files, / needle|^39\d\d .* end$/, { limit: 1000 });
    const wanted = lines.flatMap((line, index) => (/ needle|^39\d\d .* end$/.test(line) ? [index + 1] : []));
    expect((found as Row[]).map(({ line }) => line)).toEqual(wanted);
  });
});

describe('options', () => {
  const log = 'one\ntwo ERROR E1\nthree\nfour ERROR E2 x\nfive ERROR E1\nsix\n';
  const files = (): FileAccess => accessTo(makeFolder({ a: log }));

  test('lines before and after, also those that match', () => {
    const { found } = find(files(), 'ERROR', { before: 1, after: 2 });
    expect((found as Row[]).map(({ before, after }) => [before, after])).toEqual([
      [['one'], ['three', 'four ERROR E2 x']],
      [['three'], ['five ERROR E1', 'six']],
      [['four ERROR E2 x'], ['six']],
    ]);
  });

  test('limit, offset and what is left', () => {
    expect(find(files(), 'ERROR', { limit: 2, fields: [0] })).toMatchObject({ truncated: true });
    expect(find(files(), 'ERROR', { limit: 3 })).toMatchObject({ truncated: false });
    const { found } = find(files(), 'ERROR', { offset: 2 });
    expect(found).toMatchObject([{ line: 5, offset: 39, text: 'five ERROR E1' }]);
  });

  test('counts by a group, the most frequent first', () => {
    const counts = [
      { value: 'E1', count: 2 },
      { value: 'E2', count: 1 },
    ];
    expect(find(files(), /ERROR (\S+)/, { by: 1 })).toMatchObject({ found: counts, truncated: false });
    const named = find(files(), /ERROR (?<code>\S+)/, { by: 'code', top: 1 });
    expect(named).toMatchObject({ found: counts.slice(0, 1), truncated: true });
  });

  test('groups by number and by name', () => {
    const { found } = find(files(), /(?<code>E\d) (x)?/);
    expect(found).toMatchObject([{ groups: { 1: 'E2', code: 'E2', 2: 'x' } }]);
    expect(find(files(), /(E\d)( x)?/, { fields: [2, 1] }).found).toEqual([
      [null, 'E1'],
      [' x', 'E2'],
      [null, 'E1'],
    ]);
  });

  test('invert', () => {
    const { found } = find(files(), 'ERROR', { invert: true, after: 1 });
    expect((found as Row[]).map(({ line, after }) => [line, after?.[0]])).toEqual([
      [1, 'two ERROR E1'],
      [3, 'four ERROR E2 x'],
      [6, undefined],
    ]);
    expect(find(files(), 'ERROR', { invert: true, count: true }).found).toBe(3);
  });

  test('a string is taken literally, and with flags as the source of a RegExp', () => {
    expect(find(files(), 'E.', { count: true }).found).toBe(0);
    expect(find(files(), 'e.', { flags: 'i', count: true }).found).toBe(4);
  });

  test.each([
    [{ colour: 1 }, "unknown option 'colour'"],
    [{ by: 1, count: true }, 'by cannot be combined'],
    [{ by: 3 }, 'the groups 1 to 1, but not 3'],
    [{ fields: ['code'] }, 'but not "code"'],
    [{ limit: 0 }, 'limit'],
    [{ flags: 'q' }, 'Invalid flags'],
    [{ invert: true, by: 1 }, 'with invert'],
  ])('%j is refused', (options, why) => {
    expect(errorOf(() => find(files(), /(E)/, options))).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(why) as string,
    });
  });

  test.each(['', 'a\nb', /a/y])('the pattern %j is refused', (pattern) => {
    expect(errorOf(() => find(files(), pattern))).toMatchObject({ code: 'invalid_request' });
  });
});

describe('where', () => {
  const tree = {
    'src/a.ts': 'needle\n',
    'src/deep/b.ts': 'needle\n',
    'src/c.js': 'needle\n',
    'src/image.bin': Buffer.from([1, 2, 0, 3]),
    'src/.env': 'needle\n',
    'src/node_modules/x.ts': 'needle\n',
    'src/link.ts': { link: 'a.ts' },
    'src/round': { link: '..' },
    'src/old.ts.gz': gzipSync('needle\n'),
  };
  const paths = ({ found }: SearchAnswer): string[] => (found as Row[]).map(({ path }) => path);

  test('a folder with all that is below it, each file once, without what is refused', () => {
    const answer = find(accessTo(makeFolder(tree)), 'needle', {}, 'src');
    expect(paths(answer)).toEqual(['src/a.ts', 'src/c.js', 'src/deep/b.ts', 'src/old.ts.gz']);
    expect(answer.skipped).toEqual([{ path: 'src/image.bin', why: 'it is not text' }]);
  });

  test('a pattern, several paths, attachments', () => {
    const root = makeFolder(tree);
    expect(paths(find(accessTo(root), 'needle', {}, '**/*.{ts,tsx}'))).toEqual(['src/a.ts', 'src/deep/b.ts']);
    const two = search(accessTo(root), ['src/c.js', 'src/deep'], 'needle', {});
    expect(paths(two)).toEqual(['src/c.js', 'src/deep/b.ts']);
    const files = openScope({ attachments: [{ name: 'x.log', path: join(root, 'src/a.ts') }] });
    expect(paths(find(files, 'needle', {}, 'attachments:x.log'))).toEqual(['attachments:x.log']);
    expect(paths(find(files, 'needle', {}, 'attachments:*.log'))).toEqual(['attachments:x.log']);
    expect(files.attachmentsRead).toEqual(['x.log']);
  });

  test('a single file that is no text is said', () => {
    expect(errorOf(() => find(accessTo(makeFolder(tree)), 'x', {}, 'src/image.bin'))).toMatchObject({
      code: 'script_error',
      details: { name: 'NotReadableError' },
    });
  });
});

describe('what is hostile', () => {
  test('a line of any length is looked through in pieces, and matches across them are found once', () => {
    const root = makeFolder({ a: 'start\n' });
    const fd = openSync(join(root, 'a'), 'a');
    for (let index = 0; index < 50; index++) writeSync(fd, `${'x'.repeat(99_990)}<${String(index).padStart(7, '0')}>é`);
    closeSync(fd);
    appendFileSync(join(root, 'a'), '\nlast <0000050>\n');
    const files = accessTo(root);
    const { found } = find(files, /<(\d+)>/g, { fields: [1] });
    expect(found).toEqual(Array.from({ length: 51 }, (_, index) => [String(index).padStart(7, '0')]));
    const { found: rows } = find(files, /<\d+>/, {});
    expect((rows as Row[]).map(({ line, text }) => [line, text.length <= 10_000])).toEqual([
      [2, true],
      [3, true],
    ]);
    expect(find(files, /^x/g, { count: true }).found).toBe(1);
    expect(find(files, /\n|a$/, { count: true }).found).toBe(0);
  });

  test('a sparse file of 5 GB ends at the limit for reading', () => {
    const root = makeFolder({ a: 'x\n' });
    truncateSync(join(root, 'a'), 5 * 2 ** 30);
    const files = accessTo(root, { maxTotalReadBytes: 16 * 2 ** 20 });
    expect(errorOf(() => find(files, 'x', { encoding: 'utf8' }))).toMatchObject({ code: 'limit_exceeded' });
    expect(files.bytesRead).toBeLessThanOrEqual(16 * 2 ** 20);
  });

  test('too many different values end in limit_exceeded', () => {
    const root = makeFolder({ a: Array.from({ length: 600_000 }, (_, index) => index).join('\n') });
    expect(errorOf(() => find(accessTo(root), /\d+/, { by: 0 }))).toMatchObject({ code: 'limit_exceeded' });
  });

  test.skipIf(process.platform === 'win32')('a FIFO is refused, and left out of a folder', () => {
    const root = makeFolder({ 'd/a': 'needle\n' });
    execFileSync('mkfifo', [join(root, 'd/fifo')]);
    expect(errorOf(() => find(accessTo(root), 'x', {}, 'd/fifo'))).toMatchObject({ code: 'capability_denied' });
    expect(find(accessTo(root), 'needle', { count: true }, 'd').found).toBe(1);
  });

  test('everything that is thrown is a SandboxError without a path of the host', () => {
    const root = makeFolder({ a: 'x' });
    for (const where of ['no', '../a', '.env', 7, null, ['a', 'no'], 'attachments:none', '{'.repeat(5000)]) {
      const error = errorOf(() => search(accessTo(root), where, 'x', {}));
      expect(JSON.stringify(error)).not.toContain(root);
    }
  });
});

test('a limit larger than what a script can be given is taken, and ends the search only when there is more', () => {
  const files = accessTo(makeFolder({ few: 'x\n'.repeat(5), many: 'x\n'.repeat(150_001) }));
  expect(find(files, 'x', { limit: 1e9 }, 'few')).toMatchObject({ truncated: false, found: { length: 5 } });
  expect(find(files, /(x)/, { by: 1, top: 1e9 }, 'many')).toMatchObject({ truncated: false });
  expect(find(files, 'x', { limit: 100_000 }, 'many')).toMatchObject({ truncated: true });
  const tooMany = { code: 'limit_exceeded', details: { limit: 'value_items', unit: 'items' } };
  expect(errorOf(() => find(files, 'x', { limit: 1e9 }, 'many'))).toMatchObject({
    ...tooMany,
    details: { value: 100_000, actual: 100_001 },
  });
  const all = { limit: 1e9, fields: [0] };
  expect(() => find(files, 'x', all, 'many')).toThrow(/150000 matches .*\{ by: 1 \}.*lines\(path\)/);
  const nearly = { limit: 150_000, fields: [0] };
  expect(find(files, 'x', nearly, 'many')).toMatchObject({ truncated: true, found: { length: 150_000 } });
});

test('the fields of each line of a log of 9 MB fit into one list, and twice as much is told in characters', () => {
  const line = `${'x'.repeat(99)}\n`;
  const files = accessTo(makeFolder({ log: line.repeat(90_000), long: line.repeat(120_000) }));
  const all = { limit: 1e6, fields: [0] };
  expect(find(files, /x+/, all, 'log')).toMatchObject({ truncated: false, found: { length: 90_000 } });
  expect(errorOf(() => find(files, /x+/, all, 'long'))).toMatchObject({
    code: 'limit_exceeded',
    message: expect.stringMatching(/first \d+ matches alone have \d+ characters.*format: 'lines'/) as string,
    details: { limit: 'argument_bytes', value: 10 * 2 ** 20, unit: 'bytes' },
  });
});

test('ten million empty lines are counted, and hold nothing', () => {
  const files = accessTo(makeFolder({ a: Buffer.alloc(10_000_000, '\n') }));
  expect(find(files, /^$/, { count: true }).found).toBe(10_000_000);
  expect(find(files, 'x', { count: true }).found).toBe(0);
  expect(find(files, /x/, { invert: true, limit: 2 })).toMatchObject({ found: { length: 2 }, truncated: true });
});
