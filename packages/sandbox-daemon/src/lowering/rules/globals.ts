import type { Facts } from '../facts.ts';
import type { Helper } from '../helper.ts';

/** A global function that the engine gets wrong, with one that does it right; assigned before the script begins. */
interface Replacement extends Helper {
  /** Whether the script may come to it. */
  isNeeded(facts: Facts): boolean;
}

const variable =
  (name: string) =>
  ({ references }: Facts): boolean =>
    references.has(name) || references.has('globalThis');

const member =
  (object: string, name: string) =>
  ({ references, members, hasComputedMembers }: Facts): boolean =>
    references.has('globalThis') || (references.has(object) && (members.has(name) || hasComputedMembers));

/**
 * | script                   | engine | V8    |
 * | ------------------------ | ------ | ----- |
 * | `isNaN('x')`             | false  | true  |
 * | `isFinite('12')`         | false  | true  |
 * | `Math.round(-2.5)`       | -3     | -2    |
 * | `Math.max(undefined, 1)` | 1      | NaN   |
 */
export const globals: Replacement[] = [
  {
    name: 'isNaN',
    isNeeded: variable('isNaN'),
    code: 'globalThis.isNaN = function isNaN(value) { return Number.isNaN(Number(value)); };',
  },
  {
    name: 'isFinite',
    isNeeded: variable('isFinite'),
    code: 'globalThis.isFinite = function isFinite(value) { return Number.isFinite(Number(value)); };',
  },
  {
    name: 'Math.round',
    isNeeded: member('Math', 'round'),
    code: `const __ms_floor = Math.floor;
Math.round = function round(value) {
  const number = Number(value);
  const below = __ms_floor(number);
  if (below === number) return number;
  if (number - below < 0.5) return below;
  return below === -1 ? -0 : below + 1;
};`,
  },
  {
    name: 'Math.max',
    isNeeded: member('Math', 'max'),
    code: `Math.max = function max(...values) {
  let found = -Infinity;
  for (const value of values) {
    const number = typeof value === 'number' ? value : Number(value);
    if (number > found || (number === 0 && found === 0 && Object.is(found, -0))) found = number;
    else if (number !== number) found = NaN;
    if (found !== found) break;
  }
  for (let at = 0; found !== found && at < values.length; at++) Number(values[at]);
  return found;
};`,
  },
];
