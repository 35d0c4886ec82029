import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../full.ts';
import {
  baseName,
  fileExtension,
  isScriptOutputName,
  isUsableName,
  nameKey,
  uniqueName,
} from '../../../packages/agent-tool/src/attachments/names.ts';

const names = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 100 }),
  // What separates, ends or hides, and what normalisation changes: U+037E becomes `;`, U+1FEF a backtick.
  fc.string({
    unit: fc.constantFrom(...['.', ' ', '/', '\\', '-', '_', ':', 'a', 'Z', '9', '.tar', '.gz', '\u0301', '\u037e']),
    maxLength: 300,
  }),
  fc.string({
    unit: fc.constantFrom(...['\u1fef', '\u202e', '\u200d', '\u202f', '\ud800', '\n', '\0', '😀', 'İ', 'ß', 'e', '.']),
    maxLength: 300,
  }),
  fc
    .tuple(
      fc.constantFrom('script-output-', 'Script-Output-', 'a/script-output-'),
      fc.stringMatching(/^[0-9a-f]{14,66}$/),
    )
    .map(([prefix, hash]) => `${prefix}${hash}.txt`),
);

describe('a logical name', () => {
  test('can be used by the sidecar, scripts and prompts, whatever the original is', () => {
    fc.assert(
      fc.property(names, (original) => {
        const name = baseName(original);
        expect(isUsableName(name), JSON.stringify(name)).toBe(true);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
        expect(name).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\:"'`<>$]/u);
        expect(name).toMatch(/^[^ ]/u);
        expect(name).toMatch(/[^. ]$/u);
        expect(name).toBe(name.normalize('NFC'));
        expect(isScriptOutputName(name)).toBe(false);
      }),
      runs(2000),
    );
  });

  test('stays as it is when it is given again', () => {
    fc.assert(
      fc.property(names, (original) => {
        const name = baseName(original);
        expect(baseName(name)).toBe(name);
      }),
      runs(2000),
    );
  });

  test('does not depend on the folder, nor on how its characters are composed', () => {
    const last = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 }).filter((name) => !/[/\\]/.test(name));
    fc.assert(
      fc.property(last, (name) => {
        expect(baseName(`/home/me/${name}`)).toBe(baseName(name));
        expect(baseName(`C:\\Users\\me\\${name}`)).toBe(baseName(name));
        expect(baseName(name.normalize('NFD'))).toBe(baseName(name.normalize('NFC')));
      }),
    );
  });

  test('is no other name even without case, and keeps its extension', () => {
    const sets = fc.array(fc.oneof(names, fc.constantFrom('Server.log', 'server.LOG', 'server-2.log')), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(sets, (originals) => {
        const taken = new Set<string>();
        for (const original of originals) {
          const base = baseName(original);
          const name = uniqueName(base, taken);
          expect(isUsableName(name)).toBe(true);
          expect(taken.has(nameKey(name))).toBe(false);
          expect(fileExtension(name)).toBe(fileExtension(base));
          if (!taken.has(nameKey(base))) expect(name).toBe(base);
          taken.add(nameKey(name));
        }
      }),
    );
  });
});

test.each([
  ['server.log', 'server.log'],
  ['logs/2024/server.log', 'server.log'],
  ['C:\\logs\\server.log', 'server.log'],
  ['a\u0000b\nc.txt', 'a_b_c.txt'],
  ['', 'attachment'],
  ['...', 'attachment'],
  ['..', 'attachment'],
  ['logs/', 'attachment'],
  ['   ', 'attachment'],
  ['.env', '.env'],
  ['🚀 launch 👩‍🚀.md', '🚀 launch 👩🚀.md'],
  ['Screenshot at 9.41.00\u202fAM.png', 'Screenshot at 9.41.00 AM.png'],
  ["Bob's `notes`.txt", 'Bob_s _notes_.txt'],
  ['txt.\u202egnp.exe', 'txt.gnp.exe'],
  [`${'x'.repeat(300)}.log`, `${'x'.repeat(251)}.log`],
  [`${'😀'.repeat(100)}.log`, `${'😀'.repeat(62)}.log`],
  ['x'.repeat(300), 'x'.repeat(255)],
  [`${'.'.repeat(300)}log`, 'attachment'],
  ['script-output-0123456789abcdef.txt', 'file-script-output-0123456789abcdef.txt'],
  ['SCRIPT-OUTPUT-0123456789ABCDEF.TXT', 'file-SCRIPT-OUTPUT-0123456789ABCDEF.TXT'],
  ['script-output-notes.txt', 'script-output-notes.txt'],
])('%j is called %j', (original, name) => {
  expect(baseName(original)).toBe(name);
});

test.each([
  ['server.log', 'server-2.log'],
  ['archive.tar.gz', 'archive-2.tar.gz'],
  ['README', 'README-2'],
  ['.env', '.env-2'],
  [`${'x'.repeat(251)}.log`, `${'x'.repeat(249)}-2.log`],
])('a second %j is called %j', (base, name) => {
  expect(uniqueName(base, new Set([nameKey(base)]))).toBe(name);
});
