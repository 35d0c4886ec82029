import { expect, it, test } from 'vitest';
import { run } from './support.ts';

it.each(['all', 'allSettled', 'any', 'race'])('Promise.%s rejects what it cannot go through', async (name) => {
  const script = `const found = [];
const note = (error) => { found.push(error.name, error instanceof TypeError); };
for (const given of [5, null, undefined, true, { a: 1 }, Promise.resolve(1)]) await Promise.${name}(given).catch(note);
await Promise.${name}().catch(note);
await Promise.${name}(Promise.resolve(1), Promise.resolve(2)).catch(note);
return found;`;
  expect((await run(script)).value).toEqual(Array.from({ length: 8 }, () => ['TypeError', true]).flat());
});

test('they take all that can be gone through', async () => {
  const script = `function* two() { yield 1; yield Promise.resolve(2); }
const iterable = { *[Symbol.iterator]() { yield 3; } };
return [await Promise.all(two()), await Promise.all(iterable), await Promise.all(new Set([4])), await Promise.all('ab'), await Promise.all(new Map([[1, 5]]).values()), await Promise.race(two()), await Promise.any(iterable)];`;
  expect((await run(script)).value).toEqual([[1, 2], [3], [4], ['a', 'b'], [5], 1, 3]);
});

test('they wait for objects with a method then', async () => {
  const script = `const later = { then(resolve) { resolve(7); } };
const never = { then(resolve, reject) { reject(new Error('no')); } };
return [await later, await Promise.all([later, 1]), await Promise.race([later]), (await Promise.allSettled([never]))[0].reason.message, await Promise.all([never]).catch((error) => error.message)];`;
  expect((await run(script)).value).toEqual([7, [7, 1], 7, 'no', 'no']);
});

test('a class with a method then is refused where something waits', async () => {
  const query = `class Query { where(x) { return this; } then(resolve) { resolve(5); } }`;
  await expect(run(`${query} await new Query().where(1)`)).rejects.toMatchObject({
    code: 'unsupported_syntax',
    message: expect.stringContaining('a method then of a class'),
  });
  expect((await run(`${query} let r; new Query().then((x) => { r = x; }); r`)).value).toBe(5);
});
