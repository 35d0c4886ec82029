import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatBytes } from '@mustard-sandbox/agent-tool';
import { headOf, tailOf } from '../../../packages/agent-tool/src/tool/cut.ts';
import { makeFolder } from '../../files/support.ts';
import { completed, toolFor } from './support.ts';

const KiB = 1024;
const maxBytes = 64 * KiB;
const characters = fc.constantFrom('a', 'é', '€', '😀', '\ufeff', '\0', '\n');
const texts = fc.array(characters, { maxLength: 400 }).map((parts) => parts.join(''));

describe('the cut', () => {
  const decode = (bytes: Buffer): string => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);

  test('is valid UTF-8 from the start or the end, and loses less than one character', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 4, max: 300 }), (text, limit) => {
        const whole = Buffer.from(text);
        const [head, tail] = [headOf(whole, limit), tailOf(whole, limit)];
        expect(text.startsWith(decode(head))).toBe(true);
        expect(text.endsWith(decode(tail))).toBe(true);
        for (const { length } of [head, tail]) {
          expect(length).toBeLessThanOrEqual(limit);
          expect(length).toBeGreaterThan(Math.min(whole.length, limit) - 4);
        }
      }),
    );
  });
});

describe('a result that is too long', () => {
  test.each(['a', 'é', '€', '😀'])('is shown from both ends, whole characters only: %s', async (character) => {
    for (let shift = 0; shift < 4; shift++) {
      const script = `'b'.repeat(${shift}) + '${character}'.repeat(${2 * maxBytes}) + 'c'.repeat(${shift})`;
      const { text, truncated, ...more } = await completed(toolFor().execute({ script }));
      expect(truncated).toBe(true);
      expect('value' in more || 'fullOutput' in more).toBe(false);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
      expect(Buffer.byteLength(text)).toBeGreaterThan(maxBytes - KiB);
      const [head, note, tail] = text.split('\n\n') as [string, string, string];
      expect(head === 'b'.repeat(shift) + character.repeat([...head].length - shift)).toBe(true);
      expect(tail === character.repeat([...tail].length - shift) + 'c'.repeat(shift)).toBe(true);
      const total = Buffer.byteLength(character) * 2 * maxBytes + 2 * shift;
      const left = formatBytes(total - Buffer.byteLength(head + tail));
      expect(note.startsWith(`[… ${left} of ${formatBytes(total)} left out here. The rest was not kept`)).toBe(true);
      expect(note).toContain('Return less: counts, a filtered list or a slice');
    }
  });

  test('is one of more than 64 KiB', async () => {
    const fits = await completed(toolFor().execute({ script: `'a'.repeat(${maxBytes})` }));
    expect(fits).toMatchObject({ text: 'a'.repeat(maxBytes), value: 'a'.repeat(maxBytes), truncated: false });
    const over = await completed(toolFor().execute({ script: `'a'.repeat(${maxBytes + 1})` }));
    expect(over.truncated).toBe(true);
  });

  test('of a value that is no string is cut as compact JSON', async () => {
    const script = 'Array.from({ length: 20000 }, (_, index) => ({ index }))';
    const { text } = await completed(toolFor().execute({ script }));
    expect(text).toMatch(/^\[\{"index":0\},\{"index":1\},[^\n]+\n\n\[… [^\n]+\]\n\n[^\n]+,\{"index":19999\}\]$/);
  });
});

describe('the whole text', () => {
  const script = `'é'.repeat(${maxBytes})`;
  const whole = 'é'.repeat(maxBytes);

  test('goes to a file that is named after it, and the next script reads it', async () => {
    const appPath = makeFolder();
    const mediaDir = join(appPath, '.dyad/media');
    const tool = toolFor({ appPath });
    const { text, fullOutput, fullOutputPath } = await completed(tool.execute({ script }));
    const hash = createHash('sha256').update(whole).digest('hex').slice(0, 16);
    expect(fullOutput).toBe(`attachments:script-output-${hash}.txt`);
    expect(fullOutputPath).toBe(join(mediaDir, `script-output-${hash}.txt`));
    expect(readFileSync(fullOutputPath as string, 'utf8')).toBe(whole);
    expect(text).toContain(`All of it is in ${fullOutput}, which the next script can read`);
    expect(text).not.toContain(appPath);

    const next = await completed(tool.execute({ script: `read_file('${fullOutput}') === ${script}` }));
    expect(next).toMatchObject({ value: true, attachmentsRead: [`script-output-${hash}.txt`] });
    const listed = await completed(tool.execute({ script: 'list_files("attachments:")' }));
    expect(listed.value).toEqual([fullOutput]);

    await tool.execute({ script: `const twice = ${script}; twice` });
    expect(readdirSync(mediaDir)).toEqual(['.gitignore', `script-output-${hash}.txt`]);
  });

  test('is read by name in another process, too, when it is a regular file', async () => {
    const appPath = makeFolder();
    const { fullOutput } = await completed(toolFor({ appPath, mediaDir: 'media' }).execute({ script }));
    const other = toolFor({ mediaDir: join(appPath, 'media') });
    const { value } = await completed(other.execute({ script: `file_stats('${fullOutput}').size` }));
    expect(value).toBe(2 * maxBytes);

    writeFileSync(join(appPath, 'secret'), 'secret');
    const link = 'script-output-0123456789abcdef.txt';
    symlinkSync(join(appPath, 'secret'), join(appPath, 'media', link));
    const script2 = `try { read_file('attachments:${link}') } catch (e) { e.message }`;
    expect((await completed(other.execute({ script: script2 }))).value).toContain('No attachment');
  });

  test('stops at 1 MiB, at a character, and says so', async () => {
    const mediaDir = makeFolder();
    const { text, fullOutputPath } = await completed(
      toolFor({ mediaDir }).execute({ script: `'€'.repeat(${KiB * KiB})` }),
    );
    const kept = readFileSync(fullOutputPath as string, 'utf8');
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(KiB * KiB);
    expect(kept).toMatch(/^€+\n\[The first 1 MB of 3 MB\.\]\n$/);
    expect(text).toContain('The first 1 MB of it is in attachments:script-output-');
  });

  test('is not written for an answer that fits', async () => {
    const mediaDir = makeFolder();
    await toolFor({ mediaDir }).execute({ script: `'a'.repeat(${maxBytes})` });
    expect(readdirSync(mediaDir)).toEqual([]);
  });

  test('that cannot be written costs nothing but itself', async () => {
    const folder = makeFolder({ 'a file': '' });
    const events: unknown[] = [];
    const tool = toolFor({ mediaDir: join(folder, 'a file'), events: (event) => events.push(event) });
    const result = await completed(tool.execute({ script }));
    expect(result.text).toMatch(/^é+\n\n\[… .*The rest was not kept \(not_a_file\).*\]\n\né+$/);
    expect(result).not.toHaveProperty('fullOutput');
    expect(events).toContainEqual(expect.objectContaining({ type: 'sandbox.script.truncated', spilled: false }));
  });

  test.skipIf(process.getuid?.() !== 0 || process.platform !== 'linux')(
    'that fills the disk leaves nothing behind',
    async ({ skip }) => {
      const mediaDir = makeFolder();
      const mounted = await execa('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', mediaDir], { reject: false });
      skip(mounted.failed, 'may not mount');
      try {
        const { text } = await completed(toolFor({ mediaDir }).execute({ script }));
        expect(text).toContain('The rest was not kept (ENOSPC)');
        expect(readdirSync(mediaDir)).toEqual([]);
      } finally {
        await execa('umount', [mediaDir]);
      }
    },
  );

  test('goes to the folder of the store, where the attachments come from one', async () => {
    const directory = makeFolder();
    mkdirSync(join(directory, 'media'));
    const attachments = { directory: join(directory, 'media'), list: async () => [] };
    const { fullOutputPath } = await completed(toolFor({ attachments }).execute({ script }));
    expect(fullOutputPath).toContain(join(directory, 'media'));
  });
});

describe('an empty result', () => {
  test('is said as such, each kind in its own words', async () => {
    const scripts = ['undefined', '""', '[]', '({})', 'if (false) { 1 }'];
    const results = await Promise.all(scripts.map((script) => completed(toolFor().execute({ script }))));
    expect(results.map(({ text }) => text)).toEqual([
      expect.stringContaining('undefined'),
      expect.stringContaining('empty string'),
      expect.stringContaining('empty array'),
      expect.stringContaining('empty object'),
      results[0]?.text,
    ]);
    expect(results.map((result) => ('value' in result ? result.value : 'none'))).toEqual(['none', '', [], {}, 'none']);
  });
});

test.each([
  ['NaN', 'NaN', 'NaN'],
  ['1 / 0', 'Infinity', 'Infinity'],
  ['-1 / 0', '-Infinity', '-Infinity'],
  ['-0', 0, '0'],
  ['null', null, 'null'],
  ['false', false, 'false'],
  ['"a\\nb"', 'a\nb', 'a\nb'],
  [
    '({ a: undefined, b: NaN, c: [1, undefined, -0], d: [, 1] })',
    { b: 'NaN', c: [1, null, 0], d: [null, 1] },
    '{"b":"NaN","c":[1,null,0],"d":[null,1]}\n\n[NaN: a number here, written as a string, because JSON has no such number.]',
  ],
])('%s is said in JSON', async (script, expected, expectedText) => {
  const { value, text } = await completed(toolFor().execute({ script }));
  expect(value).toStrictEqual(expected);
  expect(Object.is(value, -0)).toBe(false);
  expect(text).toBe(expectedText);
});
