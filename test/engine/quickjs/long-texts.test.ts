import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shared } from '../../client/support.ts';

// Over long texts V8 does what QuickJS would: nothing that a script sees may tell.

const patterns = [
  ...[
    '/a/g',
    '/b+/g',
    '/(a)(b)?/g',
    '/(?<first>a)|(?<second>b)/g',
    '/$/gm',
    '/^.*$/gm',
    '/x*/g',
    '/x*/gu',
    '/[^ab]/gi',
  ],
  ...['/\\s+/g', '/é|😀/gu', '/(?:)/g', '/(?<=a)b/g', '/a(?=b)/g', '/nothing/g', '/a/y', '/a/gd', '/\\r?\\n/', '/(,)/'],
];
const uses = [
  'const m = t.match(re); m === null ? null : [m.length, m.slice(0, 5), m.at(-1), m.index, re.lastIndex]',
  `const all = [...t.matchAll(/g/.test(re.flags) ? re : /a/g)];
   [all.length, all.slice(0, 4).map((m) => [[...m], m.index, m.input === t, m.groups && { ...m.groups }]), re.lastIndex]`,
  "const r = t.replace(re, '[$&$1]'); [r.length, r.slice(0, 40), r.slice(-40), re.lastIndex]",
  `const seen = [];
   const r = t.replace(re, (...args) => { if (seen.length < 4) seen.push(args.map((a) => (a === t ? 'text' : a))); return 'R'; });
   [r.length, r.slice(0, 40), seen, re.lastIndex]`,
  'const parts = t.split(re); [parts.length, parts.slice(0, 6), parts.at(-1)]',
];
const piece = fc.constantFrom('a', 'b', 'ab', ' ', '\n', '\r\n', ',', 'é', '😀', 'xx', 'A', '\ud83d');
const text = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 12 }), fc.array(piece, { maxLength: 4 }), fc.boolean())
  .map(([repeated, end, isLong]) => {
    const once = repeated.join('');
    return once.repeat(isLong ? Math.ceil(70_000 / once.length) : 3) + end.join('');
  });

describe('a regular expression', () => {
  it('matches, replaces and splits as in V8, however long the text is', async () => {
    const box = shared();
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom(...patterns), fc.constantFrom(...uses), async (t, pattern, use) => {
        const script = `const re = ${pattern}; re.lastIndex = 0; ${use}`;
        const wanted: unknown = JSON.parse(JSON.stringify(runInNewContext(script, { t }) ?? null));
        const limits = { timeoutMs: 10_000 };
        const { value } = await box.run({ script, inputs: { t }, engine: 'quickjs', limits });
        expect(JSON.parse(JSON.stringify(value ?? null))).toEqual(wanted);
      }),
      { numRuns: 120 },
    );
  });

  it('splits at no empty match at the end of a text', async () => {
    for (const pattern of ['/$/gm', '/x*$/', '/($)/m', '/,|$/']) {
      for (const t of [' '.repeat(70_000), 'a,'.repeat(40_000)]) {
        const script = `const p = t.split(${pattern}); [p.length, p.slice(-3).map(String).join()]`;
        const wanted: unknown = JSON.parse(JSON.stringify(runInNewContext(script, { t })));
        expect((await shared().run({ script, inputs: { t }, engine: 'quickjs' })).value, pattern).toEqual(wanted);
      }
    }
  });

  it('that a script has changed is left to QuickJS', async () => {
    const script = `const t = 'ab'.repeat(50000);
      class Own extends RegExp { exec(text) { const found = super.exec(text); if (found) found[0] = 'own'; return found; } }
      const replaced = t.slice(0, 70000).replace(new Own('a', 'g'), 'x').slice(0, 6);
      RegExp.prototype.exec = () => null;
      [replaced, t.match(/a/g)]`;
    expect((await shared().run({ script, limits: { timeoutMs: 10_000 } })).value).toEqual([expect.any(String), null]);
  });
});
