import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Turns } from '../../packages/fleet/src/worker/turns.ts';

test('each tenant that waits gets its share, by weight, to within one run', () => {
  const weights = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(weights, (all) => {
      const tenants = all.map((weight, index) => ({ name: `t${index}`, weight }));
      const turns = new Turns(tenants);
      const total = all.reduce((sum, weight) => sum + weight, 0);
      const had = new Map<string, number>();
      for (let run = 0; run < 20 * total; run++) {
        const [next = ''] = turns.order(tenants.map(({ name }) => name));
        turns.took(next);
        had.set(next, (had.get(next) ?? 0) + 1);
      }
      for (const { name, weight } of tenants)
        expect(Math.abs((had.get(name) ?? 0) - 20 * weight)).toBeLessThanOrEqual(1);
    }),
  );
});

test('a tenant that comes late is next, and has no claim on what it did not use', () => {
  const turns = new Turns([
    { name: 'busy', weight: 1 },
    { name: 'late', weight: 1 },
  ]);
  for (let run = 0; run < 1_000; run++) turns.took('busy');
  const order: string[] = [];
  for (let run = 0; run < 6; run++) {
    const [next = ''] = turns.order(['busy', 'late']);
    turns.took(next);
    order.push(next);
  }
  expect(order).toEqual(['late', 'busy', 'late', 'busy', 'late', 'busy']);
});
