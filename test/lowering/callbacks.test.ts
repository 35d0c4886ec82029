import { describe, expect, it, test } from 'vitest';
import { run } from './support.ts';

const host = {
  twice: (n: unknown) => Number(n) * 2,
  isBig: (n: unknown) => Number(n) > 2,
  add: (a: unknown, b: unknown) => Number(a) + Number(b),
};

describe('a host function is called in a callback of', () => {
  it.each<[string, unknown]>([
    ['[1, 2].map((n) => twice(n))', [2, 4]],
    ['[1, 2, 3].filter((n) => isBig(n))', [3]],
    ['[1, 2, 3].find((n) => isBig(n))', 3],
    ['[1, 2, 3].findIndex((n) => isBig(n))', 2],
    ['[3, 4, 1].findLast((n) => isBig(n))', 4],
    ['[3, 4, 1].findLastIndex((n) => isBig(n))', 1],
    ['[1, 2].some((n) => isBig(n))', false],
    ['[3, 4].every((n) => isBig(n))', true],
    ['[1, 2].flatMap((n) => [n, twice(n)])', [1, 2, 2, 4]],
    ['[1, 2, 3].reduce((sum, n) => add(sum, n))', 6],
    ['[1, 2, 3].reduce((sum, n) => add(sum, n), 10)', 16],
    ['["a", "b"].reduceRight((sum, c) => { twice(1); return sum + c; })', 'ba'],
    ['let sum = 0; [1, 2].forEach((n) => { sum += twice(n); }); sum', 6],
    ['let sum = 0; new Map([[1, 2]]).forEach((value, key) => { sum += add(value, key); }); sum', 3],
    ['let sum = 0; new Set([1, 2]).forEach((value) => { sum += twice(value); }); sum', 6],
    ['const list = [1]; list?.map((n) => twice(n))?.length', 1],
    ['const none = null; none?.map((n) => twice(n)).length', undefined],
    ['const box = { list: null }; box.list?.map((n) => twice(n)).join("-")', undefined],
    ['const box = { list: [1, 2] }; box?.list?.map((n) => twice(n)).join("-")', '2-4'],
    ['const f = (list) => list?.map((n) => twice(n)); [f([1]), f()]', [[2], undefined]],
    ['const own = { map: (f) => f(20) }; own.map((n) => twice(n))', 40],
    ['[1, , 3].map((n) => twice(n)).length', 3],
    ['[[1, 2], [3]].map((row) => row.map((n) => twice(n)))', [[2, 4], [6]]],
    ['[1].map(function (n) { return twice(n) + this.extra; }, { extra: 5 })', [7]],
    ['[2, 3].map(twice)', [4, 6]],
  ])('%s', async (script, expected) => {
    expect((await run(script, { host })).value).toEqual(expected);
  });
});

test('console.log in forEach', async () => {
  expect((await run('[1, 2].forEach((n) => console.log(n)); 3')).logged).toEqual(['1', '2']);
});

test('an error in a callback points into the script as it was written', async () => {
  const script =
    'const names = [1, 2];\nconst twice2 = (n) => twice(n);\nnames.map((n) => {\n  return missing(n);\n});';
  await expect(run(script, { host })).rejects.toMatchObject({
    code: 'script_error',
    details: { subject: 'missing', location: { line: 4, column: 10 } },
  });
});

test('what is no function is refused as in JavaScript', async () => {
  await expect(run('twice(1); [1].map((n) => twice(n)); [1].map(5)', { host })).rejects.toMatchObject({
    message: expect.stringContaining('5 is not a function') as string,
  });
});

test.each(['map', 'flatMap', 'filter'])('async callbacks of %s begin in the order of the list', async (method) => {
  const script = `const seen = [];
const call = async (n) => { seen.push('begin ' + n); await null; seen.push('end ' + n); };
await Promise.all([1, 2].${method}(async (n) => { await call(n); }));
await Promise.all([3, 4].${method}(call));
seen`;
  const { value } = await run(script);
  expect(value).toEqual(
    [1, 3].flatMap((n) => ['begin', 'end'].flatMap((what) => [`${what} ${n}`, `${what} ${n + 1}`])),
  );
});
