/**
 * A comparator as data, which V8 runs over keys that have crossed once: what the engine would call it for n log n times.
 * Columns hold the keys of all elements; `a` and `b` are the first and the second of those that are compared.
 */
export type SortPlan =
  | number
  | ['a' | 'b', column: number]
  | [SortOperator, SortPlan, SortPlan]
  | ['?', test: SortPlan, then: SortPlan, otherwise: SortPlan];

/** `locale` is `a.localeCompare(b)`. */
export type SortOperator = '-' | '<' | '>' | '<=' | '>=' | '===' | '!==' | '==' | '!=' | '||' | '&&' | 'locale';

type Key = string | number | boolean | null | undefined;
type Evaluate = (a: number, b: number) => Key;

const operators: Record<Exclude<SortOperator, '||' | '&&'>, (one: never, other: never) => Key> = {
  '-': (one: number, other: number) => one - other,
  '<': (one: number, other: number) => one < other,
  '>': (one: number, other: number) => one > other,
  '<=': (one: number, other: number) => one <= other,
  '>=': (one: number, other: number) => one >= other,
  '===': (one, other) => one === other,
  '!==': (one, other) => one !== other,
  // As in the script, which compares what it likes with what it likes.
  // oxlint-disable-next-line eqeqeq
  '==': (one, other) => one == other,
  // oxlint-disable-next-line eqeqeq
  '!=': (one, other) => one != other,
  locale: (one: string, other: string) => one.localeCompare(other),
};

/** The positions of the elements in their order. */
export function orderBy(plan: SortPlan, columns: Key[][]): number[] {
  const compare = evaluator(plan, columns) as (a: number, b: number) => number;
  return (columns[0] ?? []).map((_, at) => at).sort(compare);
}

/** The values themselves in their order; without a plan in that of their texts. */
export function sortValues(plan: SortPlan | null, values: Key[]): Key[] {
  // oxlint-disable-next-line typescript/require-array-sort-compare -- by their texts, which is what is asked for
  if (plan === null) return values.sort();
  return orderBy(plan, [values]).map((at) => values[at]);
}

function evaluator(plan: SortPlan, columns: Key[][]): Evaluate {
  if (typeof plan === 'number') return () => plan;
  const [kind] = plan;
  if (kind === 'a' || kind === 'b') {
    const keys = columns[plan[1]] ?? [];
    return kind === 'a' ? (a) => keys[a] : (_, b) => keys[b];
  }
  const [one, other, last] = plan.slice(1).map((part) => evaluator(part as SortPlan, columns)) as [
    Evaluate,
    Evaluate,
    Evaluate,
  ];
  if (kind === '?') return (a, b) => (one(a, b) ? other(a, b) : last(a, b));
  if (kind === '||') return (a, b) => one(a, b) || other(a, b);
  if (kind === '&&') return (a, b) => one(a, b) && other(a, b);
  const operator = Object.hasOwn(operators, kind) ? operators[kind] : undefined;
  if (operator === undefined) throw new TypeError(`There is no operator ${kind}.`);
  return (a, b) => operator(one(a, b) as never, other(a, b) as never);
}
