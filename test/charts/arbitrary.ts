import type { Chart } from '@mustard-sandbox/charts';
import fc from 'fast-check';

/** Texts of every kind: markup, other scripts, what does not print, very long ones. */
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '<script>globalThis.pwned=true</script>',
    '"><image href=x onerror=globalThis.pwned=true>',
    ']]><svg onload=globalThis.pwned=true>',
    '&lt;script&gt;',
    '\u202Etxt.exe',
    '\u001B[31mred\u001B[0m\u0007',
    'שלום עולם',
    '\uFFFE\uFFFF\uD800',
    'x'.repeat(300),
    '',
  ),
);

const amount = fc.option(
  fc
    .double({ noNaN: true, noDefaultInfinity: true, min: -1e100, max: 1e100 })
    .map((value) => (Math.abs(value) < 1e-100 ? 0 : value)),
  { nil: null },
);
const positive = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true, min: 1e-100, max: 1e100 }), { nil: null });
const time = fc.option(fc.integer({ min: -8.64e15, max: 8.64e15 }), { nil: null });

const label = anyText.map((text) => text.slice(0, 300));
const columnOf = (length: number) => {
  const list = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
    fc.array(value, { minLength: length, maxLength: length });
  return {
    linear: fc.record({ label, scale: fc.constant('linear' as const), values: list(amount) }),
    log: fc.record({ label, scale: fc.constant('log' as const), values: list(positive) }),
    time: fc.record({ label, scale: fc.constant('time' as const), values: list(time) }),
    category: fc.record({ label, scale: fc.constant('category' as const), values: list(anyText) }),
  };
};

/** Charts of every type that are right as far as their rules say. */
export const anyChart: fc.Arbitrary<Chart> = fc.integer({ min: 1, max: 12 }).chain((length) => {
  const { linear, log, time, category } = columnOf(length);
  const own = { version: fc.constant(1 as const), title: fc.option(label, { nil: undefined }) };
  const groups = { color: fc.option(category, { nil: undefined }), facet: fc.option(category, { nil: undefined }) };
  const any = fc.oneof(linear, log, time, category);
  const kinds: fc.Arbitrary<unknown>[] = [
    fc.record({ ...own, ...groups, type: fc.constant('line'), x: any, y: fc.oneof(linear, log) }),
    fc.record({ ...own, ...groups, type: fc.constant('area'), x: fc.oneof(linear, time, category), y: linear }),
    fc.record({ ...own, ...groups, type: fc.constant('bar'), x: category, y: linear }),
    fc.record({ ...own, ...groups, type: fc.constant('bar'), x: linear, y: category }),
    fc.record({ ...own, ...groups, type: fc.constant('scatter'), x: any, y: any }),
    fc.record({ ...own, type: fc.constant('scatter'), x: any, y: any, color: linear }),
    fc.record({ ...own, ...groups, type: fc.constant('histogram'), x: fc.oneof(linear, time) }),
    fc.record({ ...own, type: fc.constant('box'), x: category, y: fc.oneof(linear, log), facet: groups.facet }),
    fc.record({ ...own, type: fc.constant('heatmap'), x: category, y: category, color: linear }),
  ];
  // Without the keys that are undefined, as a file has it.
  return fc.oneof(...kinds).map((chart) => JSON.parse(JSON.stringify(chart)) as Chart);
});
