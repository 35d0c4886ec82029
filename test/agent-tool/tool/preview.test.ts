import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ExecuteSandboxScriptArgs } from '@mustard-sandbox/agent-tool';
import { makeFolder } from '../../files/support.ts';
import { toolFor } from './support.ts';

test('shows the description, the first lines, and the attachments that the script names', () => {
  const lines = Array.from({ length: 14 }, (_, index) => `const line${index} = read_file('attachments:log ${index}');`);
  const appPath = makeFolder();
  const preview = toolFor({ appPath }).getConsentPreview({ script: lines.join('\n'), description: ' counts\nlines ' });
  const names = Array.from({ length: 10 }, (_, index) => `log ${index}`);
  expect(preview).toBe(
    [
      'counts lines',
      [...lines.slice(0, 12).map((line) => `  ${line}`), '  … 2 more lines'].join('\n'),
      `May read: the folder ${appPath}, ${names.join(', ')}, and 4 more`,
    ].join('\n\n'),
  );
});

test('says nothing of files where there are none', () => {
  expect(toolFor().getConsentPreview({ script: '1 + 1\n' })).toBe('  1 + 1');
});

test('cuts long lines at a character', () => {
  const preview = toolFor().getConsentPreview({ script: `'${'😀'.repeat(200)}'` });
  expect(preview).toBe(`  '${'😀'.repeat(159)}…`);
});

test.each([
  ['a control character', 'a\x1b[2Kb', '  a\\u{1b}[2Kb'],
  ['a carriage return that would hide a line', 'bad()\rgood()', '  bad()\\u{d}good()'],
  ['a change of direction', 'a\u202eb', '  a\\u{202e}b'],
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
      expect(preview.length).toBeLessThan(20_000);
    }),
  );
});
