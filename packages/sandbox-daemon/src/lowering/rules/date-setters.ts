import type { Helper } from '../helper.ts';
import type { Methods } from '../rule.ts';

/** Each part of a Date, and how many arguments its setter reads. */
const parts = { Milliseconds: 1, Seconds: 2, Minutes: 3, Hours: 4, Date: 1, Month: 2, FullYear: 3 };
const setters = Object.entries(parts).flatMap(([part, count]): [string, number][] => [
  [`set${part}`, count],
  [`setUTC${part}`, count],
]);

/**
 * The engine leaves a Date as it is where a part is `NaN` or the sum is out of range, and does not cut fractions.
 *
 *     date.setMonth(NaN, 1)   →   __ms_setMonth(date, NaN, 1)
 */
export const dateSetters: Methods = {
  id: 'date-setters',
  names: new Set(setters.map(([name]) => name)),
  helperFor: ({ name, args }) =>
    args.every(({ type, ...node }) => type === 'Literal' && Number.isInteger((node as { value?: unknown }).value))
      ? undefined
      : name,
};

export const dateSetterHelpers: Helper[] = [
  {
    name: 'setPart',
    code: `function __ms_setPart(date, given, set) {
  const numbers = given.map((value) => Number(typeof value === 'object' ? __ms_toNumber(value) : value));
  if (numbers.length === 0 || numbers.some((number) => !Number.isFinite(number))) return date.setTime(NaN);
  const time = set(numbers.map((number) => Math.trunc(number)));
  return Math.abs(time) > 8.64e15 ? date.setTime(NaN) : time;
}`,
  },
  ...setters.map(([name, count]) => ({
    name,
    code: `function __ms_${name}(date, ...args) {
  return date instanceof Date ? __ms_setPart(date, args.slice(0, ${count}), (numbers) => date.${name}(...numbers)) : date.${name}(...args);
}`,
  })),
];
