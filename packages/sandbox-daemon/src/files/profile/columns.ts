import type { SandboxValue } from '@mustard-sandbox/protocol';
import { identifier } from '../query/duckdb.ts';

/** One column of a table. */
export interface ColumnProfile {
  name: string;
  /** The type of DuckDB. */
  type: string;
  nulls: number;
  /**
   * How many different values there are. Absent for lists and objects. Above 10,000 it is an estimate, unless the
   * column may be a key.
   */
  distinct?: number;
  min?: SandboxValue;
  max?: SandboxValue;
  /** For texts: how many are empty, and the length of the longest. */
  empty?: number;
  longest?: number;
  /** Each row has a different value. */
  key?: true;
  /** What most texts or numbers look like, and how many do not. */
  looks?: 'dates' | 'numbers' | 'seconds since 1970' | 'milliseconds since 1970';
  others?: number;
  /** The most frequent values, for a column with few different ones. */
  top?: { value: SandboxValue; count: number }[];
  examples: SandboxValue[];
}

export interface Column {
  name: string;
  type: string;
}

type Row = Record<string, SandboxValue>;

const maxText = 100;
/** The share of texts that must be dates or numbers for the column to look like them. */
const mostly = 0.8;

const isText = ({ type }: Column): boolean => type === 'VARCHAR';
export const isPlain = ({ type }: Column): boolean => !/^(?:STRUCT|MAP|UNION|JSON|BLOB|BIT)|\[\d*\]$/.test(type);
const isNumber = ({ type }: Column): boolean => /INT|DOUBLE|FLOAT|DECIMAL/.test(type);

/** The statistics of all columns, computed in one pass over the rows. */
export function statisticsOf(columns: readonly Column[]): string {
  const asked = columns.flatMap((column, at) => {
    const c = identifier(column.name);
    if (!isPlain(column)) return [`count(${c}) n${at}`];
    const all = [`count(${c}) n${at}`, `approx_count_distinct(${c}) d${at}`];
    if (!isText(column)) return [...all, `min(${c}) a${at}`, `max(${c}) z${at}`];
    return [
      ...all,
      `left(min(${c}), ${maxText}) a${at}`,
      `left(max(${c}), ${maxText}) z${at}`,
      `max(length(${c})) l${at}`,
      `count(*) FILTER (trim(${c}) = '') e${at}`,
      `count(try_cast(${c} AS DOUBLE)) f${at}`,
      `count(try_cast(${c} AS TIMESTAMP)) t${at}`,
    ];
  });
  return `SELECT ${['count(*) n', ...asked].join(', ')} FROM t`;
}

/** @param found the row that the SQL of `statisticsOf` gave */
export function columnOf(column: Column, at: number, found: Row, examples: readonly Row[]): ColumnProfile {
  const rows = Number(found['n']);
  const count = Number(found[`n${at}`]);
  const { name, type } = column;
  const profile: Omit<ColumnProfile, 'examples'> = { name, type: type.slice(0, 200), nulls: rows - count };
  if (isPlain(column)) {
    profile.distinct = Math.min(count, Number(found[`d${at}`]));
    if (count > 0) Object.assign(profile, { min: found[`a${at}`], max: found[`z${at}`] });
  }
  if (isText(column)) Object.assign(profile, looksOfTexts(at, found, count));
  else if (isNumber(column)) Object.assign(profile, looksOfNumbers(name, profile));
  return { ...profile, examples: examplesOf(name, examples) };
}

function looksOfTexts(at: number, found: Row, count: number): Partial<ColumnProfile> {
  const number = (key: string): number => Number(found[`${key}${at}`] ?? 0);
  const texts = { empty: number('e'), longest: number('l') };
  const filled = count - texts.empty;
  const [numbers, dates] = [number('f'), number('t')];
  const looks = dates >= numbers ? 'dates' : 'numbers';
  const most = Math.max(numbers, dates);
  if (filled === 0 || most < mostly * filled) return texts;
  return { ...texts, looks, others: filled - most };
}

function looksOfNumbers(name: string, { min, max }: Pick<ColumnProfile, 'min' | 'max'>): Partial<ColumnProfile> {
  if (!/time|date|stamp|_at$|_ts$|^ts$|^at$/i.test(name)) return {};
  const [low, high] = [Number(min), Number(max)];
  if (low >= 5e8 && high < 5e9) return { looks: 'seconds since 1970' };
  return low >= 5e11 && high < 5e12 ? { looks: 'milliseconds since 1970' } : {};
}

function examplesOf(name: string, rows: readonly Row[]): SandboxValue[] {
  const seen = new Map<string, SandboxValue>();
  for (const row of rows) {
    const value = shortened(row[name]);
    if (value !== null && value !== undefined && value !== '') seen.set(JSON.stringify(value), value);
    if (seen.size === 3) break;
  }
  return [...seen.values()];
}

/** The value of a cell, cut to a few words. */
export function shortened(value: SandboxValue): SandboxValue {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  return typeof text === 'string' && text.length > maxText ? `${text.slice(0, maxText)}…` : text;
}
