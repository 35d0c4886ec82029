import { createSandbox } from '@mustard-sandbox/client';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { runs } from '../../full.ts';
import { freshEachTime, inOneGo, inSegments, type Answers } from './support.ts';

const answers: Answers = {
  ask: (value: unknown) => [value],
  fail: (value: unknown) => {
    throw new TypeError(`no ${String(value)}`);
  },
};

/** A statement of a script that keeps what it sees in `out`. `k` tells statements apart. */
const statement = fc.letrec<{ value: string; one: string; block: string }>((tie) => ({
  value: fc.oneof(
    fc.integer({ min: -5, max: 5 }).map((n) => (n < 0 ? `(${n})` : String(n))),
    fc.constantFrom(
      'state',
      '"text"',
      'box.next()',
      '[...map.keys()].length',
      'it.next().value',
      '(re.exec("k1k2k3") ?? ["end"])[0]',
    ),
  ),
  one: fc.oneof(
    { maxDepth: 2 },
    { weight: 4, arbitrary: tie('value').map((value) => `out.push(await ask(${value}));`) },
    {
      weight: 2,
      arbitrary: tie('value').map((value) => `state += Number(${value}) || 1; map.set(state, await ask(state));`),
    },
    tie('value').map((value) => `console.log('at', state, ${value});`),
    tie('value').map((value) => `late.push(ask(${value}));`),
    fc.constant('out.push(...(await Promise.all(late.splice(0))));'),
    fc
      .tuple(tie('value'), tie('value'))
      .map(([a, b]) => `out.push(await Promise.all([ask(${a}), inner(${b}), ask(state)]));`),
    tie('value').map(
      (value) =>
        `try { await fail(${value}); } catch (error) { out.push(error.name + error.message); } finally { out.push(await ask('f')); }`,
    ),
    tie('block').map((block) => `for (let i = 0; i < 2; i++) { ${block} }`),
    tie('block').map((block) => `if (state % 2) { ${block} } else { out.push(state++); }`),
    fc
      .tuple(tie('value'), tie('block'))
      .map(([value, block]) => `await (async () => { ${block} return ask(${value}); })().then((v) => out.push(v));`),
  ),
  block: fc.array(tie('one'), { minLength: 1, maxLength: 2, depthIdentifier: 'block' }).map((all) => all.join('\n')),
}));

const script = fc.array(statement.one, { minLength: 1, maxLength: 5 }).map(
  (statements) => `
  let state = 0; const out = []; const late = []; const map = new Map(); const re = /k\\d/g;
  class Box { #n = 0; next() { return ++this.#n; } } const box = new Box();
  function* count() { let i = 0; while (true) yield i++; } const it = count();
  const inner = async (value) => { const got = await ask(value); state++; return [got, await ask(state)]; };
  ${statements.join('\n')}
  out.push(await Promise.all(late));
  ({ out, state, keys: [...map.keys()], last: re.lastIndex })`,
);

test('frozen at each wait and thawed in a fresh process, a script does what it does in one go', async () => {
  const box = freshEachTime();
  const whole = createSandbox({ spares: 0, isolation: 'process' });
  onTestFinished(() => whole.close());
  let waited = 0;
  await fc.assert(
    fc.asyncProperty(script, async (source) => {
      const expected = await inOneGo(whole, source, answers, { engine: 'quickjs' });
      const { result, calls, console, waits } = await inSegments(box, source, answers, { engine: 'quickjs' });
      waited += waits.length;
      expect({ value: result.value, calls, console }).toEqual(expected);
    }),
    runs(60),
  );
  expect(waited).toBeGreaterThan(12);
});
