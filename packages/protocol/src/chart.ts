import { SandboxError } from './errors.ts';
import { parse } from './validation.ts';
import { checkChart } from './chart/rules.ts';
import { chartLimits, chartSchema, type Chart } from './chart/schema.ts';

export { millisecondsOf } from './times.ts';
export { checkChart, chartRules, lengthOf } from './chart/rules.ts';
export * from './chart/schema.ts';

/**
 * A chart that was kept as text, by `chart` or by anything else: all of it is checked.
 *
 * @throws {SandboxError} `invalid_request` that names the field
 */
export function parseChart(text: string): Chart {
  // A character is at least a byte.
  if (text.length > chartLimits.bytes) {
    throw new SandboxError('invalid_request', `chart: it has more than ${chartLimits.bytes} bytes.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SandboxError('invalid_request', 'chart: it is no JSON.');
  }
  return checkChart(parse(chartSchema, value, 'chart'));
}
