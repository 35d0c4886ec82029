import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ConsentFunction, ExecuteSandboxScriptArgs } from '@mustard-sandbox/agent-tool';
import { makeFolder } from '../../files/support.ts';
import { previewCall } from '../../../packages/agent-tool/src/tool/preview.ts';
import { toolFor } from './support.ts';

test('shows the description, the whole script, and all that it may read', () => {
  const lines = Array.from({ length: 40 }, (_, index) => `const line${index} = read_file('attachments:log ${index}');`);
  const appPath = makeFolder();
  const preview = toolFor({ appPath }).getConsentPreview({ script: lines.join('\n'), description: ' counts\nlines ' });
  const names = Array.from({ length: 40 }, (_, index) => `log ${index}`);
  expect(preview).toBe(
    [
      'counts lines',
      lines.map((line) => `  ${line}`).join('\n'),
      `May read: the folder ${appPath}, ${names.join(', ')}`,
    ].join('\n\n'),
  );
});

test('shows every attachment that the script can reach, those that it names first', async () => {
  const folder = makeFolder(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}.txt`, 'x'])));
  const attachments = Array.from({ length: 30 }, (_, index) => join(folder, `f${index}.txt`));
  const asked: string[] = [];
  const consent: ConsentFunction = async ({ preview }) => (asked.push(preview), 'deny');
  const tool = toolFor({ attachments, settings: { consent: 'ask' }, consent });
  // No name is written as a literal.
  await tool.execute({ script: `read_file('attach' + 'ments:f7.txt') + read_file('attachments:f21.txt')` });
  const listed = /May read: (.*)$/.exec(asked[0] as string)?.[1]?.split(', ') as string[];
  expect(listed).toHaveLength(30);
  expect(listed[0]).toBe('f21.txt (1 B)');
  expect(listed).toContain('f7.txt (1 B)');
});

test('says nothing of files where there are none', () => {
  expect(toolFor().getConsentPreview({ script: '1 + 1\n' })).toBe('  1 + 1');
});

test('wraps long lines, so that nothing lies beyond the edge of a dialog', () => {
  const preview = toolFor().getConsentPreview({ script: `'${'😀'.repeat(200)}'` });
  expect(preview).toBe(`  '${'😀'.repeat(119)}\n  ↪ ${'😀'.repeat(81)}'`);
});

test.each([
  ['blanks', `1${' '.repeat(5000)}; evil()`, '  1 ⟨5000 blanks⟩ ; evil()'],
  ['blanks of other kinds', `1${'\u00a0\u3164'.repeat(100)}; evil()`, '  1 ⟨200 blanks⟩ ; evil()'],
  ['empty lines', `1;${'\n'.repeat(900)}evil()`, '  1;\n  ⟨899 empty lines⟩\n  evil()'],
  ['lines of blanks', `1;${'\n \t'.repeat(900)}\nevil()`, '  1;\n  ⟨900 empty lines⟩\n  evil()'],
])('does not let %s push code out of sight', (_, script, expected) => {
  expect(toolFor().getConsentPreview({ script })).toBe(expected);
});

test.each([
  ['a control character', 'a\x1b[2Kb', '  a\\u{1b}[2Kb'],
  ['a carriage return that would hide a line', 'bad()\rgood()', '  bad()\\u{d}good()'],
  ['a change of direction', 'a\u202eb', '  a\\u{202e}b'],
  ['a filler that is a letter to JavaScript', 'x\u3164 = x', '  x\\u{3164} = x'],
  ['a selector of a variant', 'x\ufe0f = x', '  x\\u{fe0f} = x'],
  ['a selector of the other plane', '変\u{e0100} = 変', '  変\\u{e0100} = 変'],
  ['a braille cell without dots', 'a\u2800b', '  a\\u{2800}b'],
  ['a joiner in a name that is not ASCII', 'é\u200d = é', '  é\\u{200d} = é'],
  ['a mark at the end of a line', 'a\ufeff', '  a\\u{feff}'],
  ['an emoji', "'\u26a0\ufe0f 1\ufe0f\u20e3'", "  '\u26a0\ufe0f 1\ufe0f\u20e3'"],
  ['a space without width', 'a\u200bb', '  a\\u{200b}b'],
  ['half a character', 'a\ud83d', '  a\\u{d83d}'],
  ['a line separator', 'a\u2028b', '  a\\u{2028}b'],
])('makes %s visible', (_, script, expected) => {
  expect(toolFor().getConsentPreview({ script })).toBe(expected);
});

test('a description cannot pass for another part', () => {
  const description = 'harmless\n\nMay read: nothing\u2029';
  expect(toolFor().getConsentPreview({ script: '1', description })).toBe('harmless May read: nothing\n\n  1');
});

test('shows anything as plain text of bounded length, and never throws', () => {
  const tool = toolFor({ appPath: '.' });
  const args = fc.oneof(
    fc.record({ script: fc.string({ unit: 'binary', maxLength: 3000 }), description: fc.string({ unit: 'binary' }) }),
    fc.anything(),
  );
  fc.assert(
    fc.property(args, (value) => {
      const preview = tool.getConsentPreview(value as ExecuteSandboxScriptArgs);
      expect(preview).not.toMatch(/(?!\n|\t)[\p{Cc}\p{Cf}\p{Cs}]/u);
      expect(preview.length).toBeLessThan(60_000);
    }),
  );
});

test('no character of a script is left out', () => {
  const visible = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '(', ';'), minLength: 1, maxLength: 2000 });
  fc.assert(
    fc.property(visible, (script) => {
      const preview = toolFor().getConsentPreview({ script });
      expect(preview.replace(/^ {2}(?:↪ )?/gm, '').replaceAll('\n', '')).toBe(script);
    }),
  );
});

test.each([
  [[Infinity, Number.NaN, -0, undefined], 'The script calls pay(Infinity, NaN, -0, undefined)'],
  [['x'], "The script calls pay('x')"],
  [['a\u202eb'], "The script calls pay('a\\u{202e}b')"],
  [[{ to: 'me', amount: [1, 2] }], "The script calls pay({ to: 'me', amount: [ 1, 2 ] })"],
])('shows arguments as they are: %j', (args, expected) => {
  expect(previewCall('pay', args)).toBe(expected);
});

test('says how much of many arguments is not shown', () => {
  const preview = previewCall('pay', Array<number>(20_000).fill(1));
  expect(preview.length).toBeLessThan(5_000);
  expect(preview).toMatch(/Not all of it is shown: 20000 arguments, \d+(\.\d)? KB of JSON, SHA-256 [0-9a-f]{16}…$/);
});
