import type { AskingRun } from '../engine/compile.ts';
import { operateAhead, type Ahead } from './ahead-operations.ts';
import { findMatches, type Question } from './found-matches.ts';
import { operateRegex } from './regex-operations.ts';
import { orderBy, sortValues } from './sort-operations.ts';

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
  /** The bytes of base64; `null` for what is none. */
  base64: (text: string) => (/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(text) ? [...Buffer.from(text, 'base64')] : null),
  /** The bytes of base64, each as a character. */
  latin1: (text: string) => Buffer.from(text, 'base64').toString('latin1'),
  /** The bytes of a text as UTF-8. */
  encode: (text: string) => [...Buffer.from(text)],
  /** The text of bytes; `null` where they are none and that is an error. */
  decode: (label: string, fatal: boolean, ignoreBOM: boolean, bytes: number[]) => {
    try {
      return new TextDecoder(label, { fatal, ignoreBOM }).decode(Uint8Array.from(bytes));
    } catch {
      return null;
    }
  },
  sort: sortValues,
  order: orderBy,
};

/**
 * @param run what asks; what is kept for it goes with it
 * @throws what the operation throws
 */
export function operate([name, ...args]: readonly unknown[], run: AskingRun): unknown {
  if (name === 'ahead') return operateAhead(run, args[0] as Ahead);
  if (name === 'finds') return findMatches(run, args[0] as Question);
  const operation = Object.hasOwn(operations, String(name)) ? operations[String(name)] : undefined;
  if (operation === undefined) throw new TypeError(`There is no operation ${String(name)}.`);
  return operation(...(args as never[]));
}
