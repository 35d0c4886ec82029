import { formatBytes, formatBytesApart } from '../sizes.ts';

const maxListLength = 250;

/** As many items as fit into a line, and the number of further ones. */
export function list(items: readonly string[]): string {
  let length = 0;
  const shown = items.filter((item) => (length += item.length + 2) <= maxListLength);
  const more = items.length - shown.length;
  return shown.join(', ') + (more > 0 ? `${shown.length > 0 ? ' and ' : ''}${more} more` : '');
}

/** A limit and what was asked for, for a reader. They are exact to the byte when they would look equal otherwise. */
export function limitAndActual(
  { value, actual, unit }: { value?: number | undefined; actual?: number | undefined; unit?: string | undefined },
  limit?: string,
): [value: string | undefined, actual: string | undefined] {
  if (unit === 'bytes' && value !== undefined && actual !== undefined) return formatBytesApart(value, actual);
  const show = (number: number | undefined): string | undefined =>
    number === undefined ? undefined : formatLimit(number, unit, limit);
  return [show(value), show(actual)];
}

/** A limit's value for a reader: `64 MB`, `2 s`, `200 million instructions`, `256 nested calls`. */
export function formatLimit(value: number, unit: string | undefined, limit?: string): string {
  if (unit === 'bytes') return formatBytes(value);
  if (unit === 'ms') return value >= 1000 ? `${value / 1000} s` : `${value} ms`;
  const count = value >= 1e6 ? `${value / 1e6} million` : value.toLocaleString('en-US');
  if (limit === 'call_depth') return `${count} nested calls`;
  return unit === undefined ? count : `${count} ${unit}`;
}
