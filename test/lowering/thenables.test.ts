import { expect, it } from 'vitest';
import { runInNewContext } from 'node:vm';
import { run } from './support.ts';

const turns = `for (let i = 0; i < 8; i++) { log.push(i); await null; } return log;`;

// In each the order was another one: the engine calls `then` at once.
it.each([
  `const t = { then(r) { log.push('then'); r(1); } }; const p = Promise.resolve(t); log.push('after', await p); return log;`,
  `const t = { then: function (r) { log.push(this === t); r(1); throw 5; } }; const p = Promise.resolve(t); log.push('after', await p); return log;`,
  `const t = { 'then': (r) => { log.push('then'); r(1); } }; const f = async () => { log.push(await t); }; const p = f(); log.push('after'); await p; return log;`,
  `const t = { then(r) { log.push('then'); r(1); } }; const f = async () => t; const p = f(); log.push('after'); await p; return log;`,
  `const t = {}; t.then = function (r) { log.push('then'); r(1); }; const p = new Promise((done) => done(t)); log.push('after'); await p; return log;`,
  `const then = (r) => { log.push('then'); r(1); }; const p = Promise.all([{ then }, 2]); log.push('after', await p); return log;`,
  `const t = { async then(r) { await null; log.push('then'); r(1); } }; Promise.race([t]).then((v) => log.push('v' + v)); ${turns}`,
  `const t = { then(r, f) { f('no'); } }; Promise.allSettled([t, 2]).then((v) => log.push(v)); Promise.any([t, 2]).then((v) => log.push('any' + v)); ${turns}`,
  `const t = { then(r) { r(1); } }; Promise.resolve().then(() => t).then((v) => log.push('v' + v)); ${turns}`,
  `const t = { then(r) { r(1); } }; Promise.resolve().finally(() => t).then((v) => log.push('v' + v)); ${turns}`,
  `const t = { then(r) { r({ then(q) { log.push('inner'); q(3); } }); } }; Promise.resolve(t).then((v) => log.push('v' + v)); ${turns}`,
])('calls it a turn later: %s', expectOrder);

it.each([
  `const t = { then(r) { log.push('then'); return r(5); } }; log.push(t.then((x) => x + 1)); await null; return log;`,
  `const t = { then(r) { log.push('then'); r(5); } }; const p = new Promise((done, failed) => { t.then(done, failed); log.push('after'); }); log.push(await p); return log;`,
  `const t = { then: (r, f) => { throw new Error('no'); } }; try { await t; } catch (error) { log.push(error.message); } return log;`,
  `const step = { if: 'a', then: 'b' }; log.push((await step).then); step.then = 5; log.push(step.then); return log;`,
])('leaves alone what the script calls, and what is no function: %s', expectOrder);

async function expectOrder(script: string): Promise<void> {
  const source = `const log = []; ${script}`;
  const wanted = JSON.stringify(await runInNewContext(`(async () => { ${source} })()`));
  expect(JSON.stringify((await run(source)).value)).toBe(wanted);
}
