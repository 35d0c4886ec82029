import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

// The engine compares no BigInt with a number.
it.each([
  `const x = 2; [1n < x, 2n < x, 2n <= x, 3n > x, x > 1n, x >= 2n, x < 2n, x <= 2n]`,
  `[2n > 1.5, 2n < 2.5, -2n < -1.5, -2n > -2.5, 0n < -0.5, 0n <= -0, 1.5 < 2n, 2.5 >= 2n]`,
  `[1n < NaN, 1n >= NaN, NaN < 1n, 1n < Infinity, 1n > -Infinity, Infinity > 5n, -Infinity >= 5n]`,
  `[10n ** 30n > 1e30, 10n ** 30n < 1e31, 2n ** 1024n > Number.MAX_VALUE, 1n > 5e-324, 0n < 5e-324]`,
  `[1, 2n, 0, -1n].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).map(String)`,
  `let n = 27n; let steps = 0; while (n > 1) { n = n % 2n === 0n ? n / 2n : 3n * n + 1n; steps++; } steps`,
  `let sum = 0n; for (const x of [1n, 2n, 3n]) sum += x * 2n; const limit = 5; [sum > limit, sum * 2n > limit * 2, -sum < 0]`,
  `const less = (a, b) => a < b; [less(1, 2), less('b', 'a'), less(1n, 2n), less('1', 2), less(null, 1), less(undefined, 1), less('x', 1)]`,
  `const log = []; const seen = (x) => { log.push(x); return x; }; [seen(1n) < seen(2), seen(2) >= seen(1n), log.map(String)]`,
])('%s', (script) => expectAsInV8(script));

it.each([`'10' > 9n`, `null < 1n`, `[5] > 1n`])('%s stays refused', async (script) => {
  await expect(run(script)).rejects.toHaveProperty('code', 'script_error');
});
