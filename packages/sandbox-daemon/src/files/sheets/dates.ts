/** Excel's built-in formats of dates and times. */
const builtIn = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47]);

/** Whether a format shows a date or a time. Colours, conditions and quoted texts do not count. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return builtIn.has(id) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  const plain = code.replaceAll(/"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|_./gi, '').split(';')[0] as string;
  return /[ymdhs]/i.test(plain) && !/^general$/i.test(plain);
}

const dayMs = 86_400_000;

/** A serial number as ISO 8601: a date if it has no time, a time if it has no date. */
export function dateOf(serial: number, from1904: boolean): string | number {
  if (!Number.isFinite(serial) || serial < 0 || serial > 2_958_465) return serial;
  // Excel has a 29 February 1900, so the days before March 1900 are off by one.
  const shifted = from1904 ? serial + 1462 : serial < 60 ? serial + 1 : serial;
  const ms = Math.round((shifted - 25_569) * dayMs);
  const text = new Date(ms).toISOString();
  if (serial < 1 && !from1904) return text.slice(11, 19);
  return ms % dayMs === 0 ? text.slice(0, 10) : text.slice(0, 19);
}
