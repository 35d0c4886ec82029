const KiB = 1024;

/** Three significant digits, and never an exponent. @param {number} value */
function digits(value) {
  if (value === 0) return '0';
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  return magnitude >= 2 ? String(Math.round(value)) : value.toFixed(Math.min(6, 2 - magnitude));
}

/**
 * A measurement as people write it.
 *
 * @param {number} value
 * @param {string} unit `ms`, `bytes`, `1/s`, `×` or a noun
 */
export function amount(value, unit) {
  switch (unit) {
    case 'ms':
      return time(value);
    case 'bytes':
      return bytes(value);
    case '×':
      return `${digits(value)} ×`;
    case 'count':
      return grouped(value);
    case '1/s':
      return `${grouped(Math.round(value))}/s`;
    default:
      return `${digits(value)} ${unit}`;
  }
}

/** @param {number} ms */
export function time(ms) {
  if (ms < 1) return `${digits(ms * 1000)} µs`;
  return ms < 1000 ? `${digits(ms)} ms` : `${digits(ms / 1000)} s`;
}

/** @param {number} value */
function bytes(value) {
  if (value < KiB) return `${digits(value)} B`;
  if (value < KiB ** 2) return `${digits(value / KiB)} KB`;
  return value < KiB ** 3 ? `${digits(value / KiB ** 2)} MB` : `${digits(value / KiB ** 3)} GB`;
}

/** @param {number} value a whole number */
function grouped(value) {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}
