import { operateRegex } from './regex-operations.ts';

/** What V8 does for a program, because the engine cannot or is too slow: pure functions of values that JSON can say. */
type Operation = (...args: never[]) => unknown;

// The engine knows no other time zone.
process.env['TZ'] = 'UTC';

type LocaleMethod = 'toLocaleString' | 'toLocaleDateString' | 'toLocaleTimeString';

const operations: Record<string, Operation> = {
  regex: operateRegex,
  /** Milliseconds, or `null` for a text that is no date. */
  date: (text: string) => {
    const time = Date.parse(text);
    return Number.isNaN(time) ? null : time;
  },
  int: (text: string, radix: number | null) => {
    const number = parseInt(text, radix ?? undefined);
    return Number.isNaN(number) ? null : number;
  },
  localeText: (
    method: LocaleMethod,
    number: string,
    isDate: boolean,
    locale: string | null,
    options: object | null,
  ) => {
    const value = isDate ? new Date(Number(number)) : Number(number);
    return (value as Date)[method](locale ?? undefined, { ...options });
  },
  radix: (number: number, base: number) => number.toString(base),
  json: (text: string) => JSON.parse(text) as unknown,
  /** Each value in a list of its own; `null` for a text that is no JSON. */
  jsonLines: (texts: string[]) => texts.map(parsed),
  /** The sorted values: all numbers or all strings. Without a direction in the order of their texts. */
  sort: (values: (number | string)[], direction: number) => values.sort(comparing(direction)),
  /** The positions in `keys` in the order of the keys, which are all numbers or all strings. */
  order: (keys: (number | string)[], direction: number) => {
    const compare = comparing(direction);
    const positions = keys.map((_, at) => at);
    return compare === undefined
      ? positions.sort((a, b) => byText(keys[a] as string, keys[b] as string))
      : positions.sort((a, b) => compare(keys[a] as number, keys[b] as number));
  },
  /** The same for `a.localeCompare(b)`. */
  collate: (keys: string[], direction: number) => {
    const { compare } = new Intl.Collator();
    return keys.map((_, at) => at).sort((a, b) => direction * compare(keys[a] as string, keys[b] as string));
  },
};

function parsed(text: string): [unknown] | null {
  try {
    return [JSON.parse(text)];
  } catch {
    return null;
  }
}

function comparing(direction: number): ((a: number | string, b: number | string) => number) | undefined {
  return direction === 0 ? undefined : (a, b) => direction * ((a as number) - (b as number));
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** @throws what the operation throws */
export function operate([name, ...args]: readonly unknown[]): unknown {
  const operation = Object.hasOwn(operations, String(name)) ? operations[String(name)] : undefined;
  if (operation === undefined) throw new TypeError(`There is no operation ${String(name)}.`);
  return operation(...(args as never[]));
}
