import { millisecondsOf } from '@mustard-sandbox/protocol/text';

/** The values of JSON. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
type Scalar = null | boolean | number | string;

/** Rows with the same columns. A value that a row lacks is `undefined`. */
export interface TableData {
  kind: 'table';
  columns: string[];
  rows: Record<string, JsonValue>[];
}

/** A number for each key. */
export interface BarsData {
  kind: 'bars';
  bars: { label: string; value: number }[];
}

/** Numbers over time, by ascending time. */
export interface LineData {
  kind: 'line';
  /** What the times are called; nothing for pairs. */
  label: string;
  /** Seconds since 1970. */
  times: number[];
  series: { name: string; values: (number | null)[] }[];
}

/** The ways in which an output can be shown in addition to text, the best first. */
export type DataView = TableData | BarsData | LineData | { kind: 'tree'; value: JsonValue };

const maxColumns = 50;

/** How an output can be shown as data. Empty for plain text. */
export function dataViews(text: string): DataView[] {
  const value = parseJson(text);
  if (value === undefined) return [];
  const views = [lineOf(value), barsOf(value), tableOf(value)].filter((view) => view !== undefined);
  return [...views, { kind: 'tree', value }];
}

/** Parses an array or an object. A number or a text is shown as plain text. */
function parseJson(text: string): JsonValue | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function isObject(value: JsonValue | undefined): value is Record<string, JsonValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isScalar(value: JsonValue | undefined): value is Scalar {
  return value === undefined || value === null || typeof value !== 'object';
}

/** An array of objects whose values are mostly plain. */
function tableOf(value: JsonValue): TableData | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isObject)) return undefined;
  const columns = new Set<string>();
  for (const row of value) for (const key of Object.keys(row)) columns.add(key);
  if (columns.size === 0) return undefined;
  const cells = value.slice(0, 100).flatMap((row) => Object.values(row));
  if (cells.filter(isScalar).length * 2 < cells.length) return undefined;
  return { kind: 'table', columns: [...columns].slice(0, maxColumns), rows: value };
}

/** Pairs from `[[key, count], …]`, or from an object whose values are all numbers. */
function pairsOf(value: JsonValue): [string, number][] | undefined {
  const entries = Array.isArray(value) ? value : Object.entries(value as object);
  if (entries.length < 2) return undefined;
  const pairs: [string, number][] = [];
  for (const entry of entries) {
    if (!Array.isArray(entry) || entry.length !== 2) return undefined;
    const [key, number] = entry as [JsonValue, JsonValue];
    if ((typeof key !== 'string' && typeof key !== 'number') || typeof number !== 'number') return undefined;
    pairs.push([String(key), number]);
  }
  return pairs;
}

function barsOf(value: JsonValue): BarsData | undefined {
  const pairs = pairsOf(value);
  // A bar begins at zero, so negative numbers cannot have one.
  if (pairs === undefined || pairs.some(([, number]) => number < 0)) return undefined;
  return { kind: 'bars', bars: pairs.map(([label, number]) => ({ label, value: number })) };
}

/** Pairs of a time and a number, or rows with one column of times and some of numbers. */
function lineOf(value: JsonValue): LineData | undefined {
  const pairs = pairsOf(value);
  if (pairs !== undefined)
    return fromColumns(
      '',
      pairs.map(([time]) => time),
      { '': pairs.map(([, number]) => number) },
    );
  const table = tableOf(value);
  if (table === undefined) return undefined;
  const { rows } = table;
  const time = table.columns.find((column) => rows.every((row) => timeOf(row[column]) !== undefined));
  if (time === undefined) return undefined;
  const numeric = table.columns.filter(
    (column) => column !== time && rows.every((row) => row[column] === null || typeof row[column] === 'number'),
  );
  const columns = numeric
    .slice(0, 5)
    .map((column) => [column, rows.map((row) => row[column] as number | null)] as const);
  return fromColumns(
    time,
    rows.map((row) => row[time]),
    Object.fromEntries(columns),
  );
}

function fromColumns(
  label: string,
  times: readonly (JsonValue | undefined)[],
  columns: Record<string, (number | null)[]>,
): LineData | undefined {
  const seconds = times.map(timeOf);
  if (seconds.length < 2 || Object.keys(columns).length === 0 || seconds.includes(undefined)) return undefined;
  const order = seconds.map((_, index) => index).sort((a, b) => (seconds[a] as number) - (seconds[b] as number));
  return {
    kind: 'line',
    label,
    times: order.map((index) => seconds[index] as number),
    series: Object.entries(columns).map(([name, values]) => ({
      name,
      values: order.map((index) => values[index] ?? null),
    })),
  };
}

/** Seconds since 1970. */
function timeOf(value: JsonValue | undefined): number | undefined {
  const ms = typeof value === 'string' ? millisecondsOf(value) : undefined;
  return ms === undefined ? undefined : ms / 1000;
}
