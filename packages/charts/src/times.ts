/** The last time that a date can be, in ms. A step of an axis or of a histogram may lie beyond it. */
const last = 8.64e15;

/** A time as people write it, in UTC, without the parts that are 0: `2026-03-01`, `2026-03-01 12:30`. */
export function timeText(ms: number): string {
  const [day, time = ''] = new Date(Math.min(last, Math.max(-last, ms))).toISOString().replace('Z', '').split('T');
  const short = time.replace(/\.000$/, '').replace(/:00$/, '');
  return short === '00:00' ? `${day}` : `${day} ${short}`;
}
