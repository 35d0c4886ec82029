import { quote, SandboxError } from '@mustard-sandbox/protocol';
import {
  chartLimits,
  millisecondsOf,
  type ChannelName,
  type ChartChannel,
  type ChartScale,
  type ChartType,
} from '@mustard-sandbox/protocol/chart';

/** A column of the data, and what the script says about it. */
export interface Column {
  name: ChannelName;
  field: string;
  label?: string | undefined;
  scale?: ChartScale | undefined;
  values: readonly unknown[];
}

/** The largest time, in ms; see ECMAScript, "Time Values". */
const maxTime = 8.64e15;

/**
 * The column in the form of the chart.
 *
 * @param check called for each row
 * @throws {SandboxError} `invalid_request` that names the column and the first row whose value does not fit
 */
export function columnOf(
  { name, field, label, values }: Column,
  scale: ChartScale | undefined,
  type: ChartType,
  check: () => void,
): ChartChannel {
  const common = { label: (label ?? field).slice(0, chartLimits.characters) };
  const refuse = (row: number, value: unknown, why: string): never => {
    const place = `${name}: row ${row} of column ${quote(field)} has ${shown(value)}`;
    throw new SandboxError('invalid_request', `chart: ${place}, and ${why}.`, { details: { problems: [place] } });
  };
  if (scale === undefined || scale === 'category') {
    const nameOf = (value: unknown, row: number): string => {
      check();
      if (value === null || value === undefined) return 'null';
      return nameText(value) ?? refuse(row, value, 'a name is a text or a number');
    };
    return { ...common, scale: 'category', values: values.map(nameOf) };
  }
  const numberOf = scale === 'time' ? timeOf : amountOf;
  const what =
    scale === 'time'
      ? 'times are text such as 2026-03-01T12:00, or milliseconds since 1970'
      : `a ${type} needs numbers there; null leaves a gap`;
  const number = (value: unknown, row: number): number | null => {
    check();
    if (value === null || value === undefined) return null;
    return numberOf(value) ?? refuse(row, value, what);
  };
  return { ...common, scale, values: values.map(number) };
}

function amountOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function timeOf(value: unknown): number | undefined {
  if (typeof value === 'string') return millisecondsOf(value);
  return typeof value === 'number' && Math.abs(value) <= maxTime ? value : undefined;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
  return nameText(value) ?? 'nothing';
}

/** A text, number or boolean as a name. */
function nameText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
