// 2026-11, 2026-11-21, 2026-11-21T14, 2026-11-21 14:05:06.123Z: what logs and scripts write. A year alone may be a code.
const time = /^(\d{4})-(\d\d)(?:-(\d\d)(?:[T ](\d\d)(?::(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** Milliseconds since 1970 of a time as text; one without a zone is read as UTC, so that it is shown as it was written. */
export function millisecondsOf(text: string): number | undefined {
  const match = time.exec(text);
  if (match === null) return undefined;
  const [, year, month, day = '01', hour = '00', minute = '00', second = '00', fraction = '0', zone = 'Z'] = match;
  const offset = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3)}${offset}`);
  return Number.isNaN(ms) ? undefined : ms;
}
