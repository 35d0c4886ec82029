import * as z from 'zod/mini';
import { problemOfOutputName } from '@mustard-sandbox/paths';
import { chartEnding, parse, SandboxError } from '@mustard-sandbox/protocol';
import {
  channelNames,
  chartLimits,
  chartRules,
  chartScales,
  chartTypes,
  checkChart,
  type Chart,
} from '@mustard-sandbox/protocol/chart';
import { BuiltinCall } from '../call.ts';
import type { Pace } from '../pace.ts';
import { deliverAll, type Deliver } from '../save/deliver.ts';
import { columnOf, type Column } from './column.ts';
import { rowsOf } from './rows.ts';
import { scalesFor } from './scale.ts';

const text = z.string().check(z.minLength(1), z.maxLength(chartLimits.characters));
const specSchema = z.strictObject({
  type: z.enum(chartTypes),
  data: z.unknown(),
  x: z.optional(z.unknown()),
  y: z.optional(z.unknown()),
  color: z.optional(z.unknown()),
  facet: z.optional(z.unknown()),
  title: z.optional(text),
  name: z.optional(text),
  bins: z.optional(z.int().check(z.gte(1), z.lte(chartLimits.bins))),
});
const columnSchema = z.strictObject({
  field: z.string(),
  label: z.optional(text),
  scale: z.optional(z.enum(chartScales)),
});

type Spec = z.output<typeof specSchema>;

/**
 * Checks a script's chart, takes its columns out of the data, and hands the chart to the host as a file. Nothing is drawn
 * here.
 *
 * @param saved the files that the run has saved so far
 * @throws {SandboxError} `invalid_request` that names the field, `limit_exceeded`; what `deliver` throws
 * @public by way of `later.ts`
 */
export function keepChart([given]: readonly unknown[], pace: Pace, saved: Set<string>, deliver: Deliver): void {
  const call = new BuiltinCall('chart', undefined);
  const check = (): void => pace.check();
  const spec = checked(call, () => parse(specSchema, given ?? {}, 'chart'));
  const chart = checked(call, () => chartOf(spec, check));
  const file = nameOf(spec, saved, call);
  const json = `${JSON.stringify(chart)}\n`;
  const bytes = Buffer.byteLength(json);
  if (bytes > chartLimits.bytes) throw tooMuch('bytes', chartLimits.bytes, bytes);
  if (deliverAll(file, json, false, deliver)) saved.add(file);
}

/** @param check called for each row */
function chartOf(spec: Spec, check: () => void): Chart {
  const { type, title, bins } = spec;
  const rows = rowsOf(spec.data);
  if (rows.length === 0) throw new SandboxError('invalid_request', 'chart: data: it has no rows.');
  if (rows.length > chartLimits.points) throw tooMuch('items', chartLimits.points, rows.length);
  const columns: Partial<Record<(typeof channelNames)[number], Column>> = {};
  for (const name of channelNames) {
    const wanted = spec[name];
    if (wanted === undefined || wanted === null) continue;
    const options = parse(columnSchema, typeof wanted === 'string' ? { field: wanted } : wanted, `chart: ${name}`);
    columns[name] = { name, ...options, values: rows.column(options.field, name, check) };
  }
  const scales = scalesFor(chartRules[type].scales, type, columns);
  const chart = {
    version: 1,
    type,
    ...(title !== undefined && { title }),
    ...(bins !== undefined && { bins }),
  } as Chart;
  for (const name of channelNames) {
    const column = columns[name];
    // A channel that this type of chart lacks is refused by the rules, which name it.
    if (column !== undefined) Object.assign(chart, { [name]: columnOf(column, scales[name], type, check) });
  }
  return checkChart(chart);
}

/** A name from the script is used as it is, and a later chart replaces it. Generated names never replace a file. */
function nameOf({ name, title, type }: Spec, saved: ReadonlySet<string>, call: BuiltinCall): string {
  if (name !== undefined) {
    const file = name.replace(/(?:\.chart)?(?:\.json)?$/i, '') + chartEnding;
    const problem = problemOfOutputName(file);
    if (problem !== undefined) throw call.invalid(`chart: name: it is no name for a file: ${problem}.`);
    return file;
  }
  const words = (title ?? '').toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const short = words
    .join('-')
    .slice(0, 30)
    .replace(/[\ud800-\udbff]$/, '');
  const isUsable = short !== '' && problemOfOutputName(short + chartEnding) === undefined;
  const stem = isUsable ? short : type;
  for (let number = 1; ; number++) {
    const file = `${number === 1 ? stem : `${stem}-${number}`}${chartEnding}`;
    if (!saved.has(file)) return file;
  }
}

/** An invalid chart is an error of the script, which may catch it. */
function checked<T>(call: BuiltinCall, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof SandboxError && error.code === 'invalid_request')
      throw call.invalid(error.message, error.details);
    throw error;
  }
}

function tooMuch(unit: 'items' | 'bytes', value: number, actual: number): SandboxError {
  const what = unit === 'items' ? `data has ${actual} rows` : `the data is ${actual} bytes`;
  const advice = 'Sum it up first, by query or in a loop: counts by hour, a sample, the largest ones';
  return new SandboxError('limit_exceeded', `chart: ${what}, and a chart has at most ${value}. ${advice}.`, {
    details: { capability: 'chart', value, unit, actual },
  });
}
