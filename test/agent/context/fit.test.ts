import type { Stats } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byAge, cutAt, cutFor, isAfter, type Cut } from '../../../packages/desktop-agent/src/server/context/fit.ts';
import type { Found } from '../../../packages/desktop-agent/src/server/context/walk.ts';

const room = 1000;

const fileList = fc
  .array(fc.record({ size: fc.nat(400), mtimeMs: fc.nat(5) }), { maxLength: 20 })
  .map((all) => all.map(({ size, mtimeMs }, index) => file(`${index}.ts`, size, mtimeMs)));

function file(path: string, size: number, mtimeMs: number): Found {
  return { path, source: path, stats: { size, mtimeMs } as Stats };
}

function fit(files: Found[], before?: Cut): { cut: Cut | undefined; taken: Found[]; bytes: number } {
  const sorted = files.toSorted((a, b) => byAge(cutAt(a), cutAt(b)));
  const cut = cutFor(sorted, room, before);
  const taken = sorted.filter((one) => isAfter(one, cut));
  return { cut, taken, bytes: taken.reduce((sum, { stats }) => sum + stats.size, 0) };
}

test('what is taken fits, and is the most recently changed', () => {
  fc.assert(
    fc.property(fileList, fileList, (before, now) => {
      const { taken, bytes } = fit(now, fit(before).cut);
      expect(bytes).toBeLessThanOrEqual(room);
      const left = now.filter((one) => !taken.includes(one));
      for (const one of left) for (const other of taken) expect(byAge(cutAt(one), cutAt(other))).toBeLessThan(0);
      if (now.reduce((sum, { stats }) => sum + stats.size, 0) <= room) expect(left).toEqual([]);
    }),
  );
});

test('edits that fit leave the beginning of the prompt as it was', () => {
  const files = Array.from({ length: 30 }, (_, index) => file(`${index}.ts`, 100, index));
  const first = fit(files);
  expect(first.bytes).toBeLessThan(room);
  const edited = files.map((one, index) => (index === 25 ? file('25.ts', 150, 99) : one));
  const second = fit(edited, first.cut);
  const unchanged = first.taken.map(({ path }) => path).filter((path) => path !== '25.ts');
  expect(second.taken.map(({ path }) => path)).toEqual([...unchanged, '25.ts']);
});
