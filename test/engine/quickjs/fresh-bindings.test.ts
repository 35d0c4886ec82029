import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failureOf, shared } from '../../client/support.ts';

const limits = { timeoutMs: 10_000 };
const valueOf = async (script: string): Promise<unknown> =>
  (await shared().run({ script, engine: 'quickjs', limits })).value;
const inV8 = (script: string): unknown => JSON.parse(JSON.stringify(runInNewContext(script)));

const end = 'later.map((f) => f())';

describe('a `continue` of a loop with a function in it', () => {
  it.each([
    `const later = []; for (let i = 0; i < 3; i++) { later.push(() => i); if (i === 1) continue; } ${end}`,
    `const later = []; for (let i = 0; i < 3; i++) { later.push(() => i); switch (i) { case 1: continue } } ${end}`,
    `const later = []; for (let i = 0; i < 3; i++) try { later.push(() => i); if (i) continue; } finally { i } ${end}`,
    `const later = []; for (let i = 0; i < 3; later.push(() => i), i++) { if (i === 1) continue\n i } ${end}`,
    `const later = []; for (let [i, j] = [0, 9]; i < 3; i++, j--) { later.push(() => [i, j]); if (j > 7) continue; } ${end}`,
    `const later = []; outer: for (let i = 0; i < 3; i++) for (const k of [1, 2]) { later.push(() => i + k); if (i === 1) continue outer; } ${end}`,
    `const later = []; a: b: for (let i = 0; i < 3; i++) { for (;;) { later.push(() => i); if (i === 1) continue a; continue /* x */ b } } ${end}`,
    `const later = []; for (let i = 0; i < 3; i++) { for (let k = 0; k < 3; k++) { later.push(() => [i, k]); if (k === i) continue; } if (i) continue; } ${end}`,
    `const later = []; $0: for (let i = 0; i < 3; i++) { later.push(() => i); if (i === 1) continue $0; } ${end}`,
    `const later = []; for (let i = 0; i < 3; i++) { later.push(new (class { value = () => i })().value); if (i < 2) continue; } ${end}`,
    `const later = []; for (let i = 0, f = () => i; i < 3; i++) { later.push(f); while (i < 1) { i++; continue } if (i) continue; } ${end}`,
    `(() => { const later = []; for (let i = 0; i < 3; i++) { later.push(() => i); if (i === 1) continue; } return ${end} })()`,
  ])('gives each turn its own variables: %s', async (script) => {
    expect(await valueOf(script)).toEqual(inV8(script));
  });

  it('does so in TypeScript, and after a return at the top', async () => {
    const loop = 'for (let i: number = 0; i < 3; i++) { later.push(() => i); if (i === 1) continue; }';
    expect(await valueOf(`const later: (() => number)[] = []; ${loop} ${end}`)).toEqual([0, 1, 2]);
    const script = `const later = []; ${loop.replace(': number', '')} if (later.length < 3) return 0; ${end}`;
    expect(await valueOf(script)).toEqual([0, 1, 2]);
  });

  it.each([
    'for (let i = 0; i < 3; i++) { (() => i)(); if (i === 0) continue; null.x }',
    'for (let i = 0; i < 3; i++) { (() => i)(); if (i === 0) continue }\nif (Date.now() < 0) return 1;\n[].at(0).x',
  ])('keeps the place of an error: %s', async (script) => {
    const placeIn = async (text: string): Promise<unknown> =>
      (await failureOf(shared().run({ script: text, engine: 'quickjs', limits }))).details.location;
    const place = await placeIn(script);
    expect(place).toMatchObject({ line: script.split('\n').length });
    expect(place).toEqual(await placeIn(script.replace('continue', 'void 1; ')));
  });

  it('means what it means in V8, in loops of any kind within each other', async () => {
    const { loop } = fc.letrec<{ loop: string; body: string }>((tie) => ({
      loop: fc
        .tuple(fc.constantFrom('let', 'of', 'while'), fc.boolean(), tie('body'), fc.nat({ max: 2 }))
        .map(([kind, isLabelled, body, skipped]) => {
          // Unique, as what is inside is shorter.
          const name = `v${body.length}`;
          const [label, target] = isLabelled ? [`l${name}: `, ` l${name}`] : ['', ''];
          const inner = `later.push(() => ${name}); ${body} if (${name} === ${skipped}) continue${target}; log.push(${name});`;
          if (kind === 'of') return `${label}for (const ${name} of [0, 1, 2]) { ${inner} }`;
          if (kind === 'let') return `${label}for (let ${name} = 0; ${name} < 3; ${name}++) { ${inner} }`;
          return `{ let w${name} = 0; ${label}while (w${name} < 3) { const ${name} = w${name}++; ${inner} } }`;
        }),
      body: fc.oneof({ maxDepth: 2 }, fc.constant(''), tie('loop')),
    }));
    const scripts = fc.sample(loop, { numRuns: 60, seed: 1 }).map((text) => {
      return `const later = [], log = []; ${text} [log, later.map((f) => f())]`;
    });
    for (const script of scripts) expect(await valueOf(script), script).toEqual(inV8(script));
  });
});
