import type { MessageKey } from './messages.ts';
import type { Translate } from './translate.ts';

/** Sizes, times and numbers as a person reads them, in one locale. */
export interface Format {
  /** `80 MB`, `1.5 KB`, `512 B`: 1024-based; one decimal below 10, none above. */
  readonly bytes: (bytes: number) => string;
  /** `812 ms`, `4.2 s`, `3 min`. */
  readonly duration: (ms: number) => string;
  /** Two sizes for comparison. They are exact to the byte, `1,048,577 bytes`, when they would look equal otherwise. */
  readonly bytesApart: (one: number, other: number) => [string, string];
  /** `1,234`. */
  readonly number: (value: number) => string;
  readonly percent: (part: number) => string;
  /** `3 min ago`. */
  readonly ago: (date: Date, now: Date) => string;
  /** Day and time, to the second. */
  readonly exact: (date: Date) => string;
  /** The time of day, to the second. */
  readonly clock: (date: Date) => string;
}

const byteUnits: MessageKey[] = ['unitB', 'unitKB', 'unitMB', 'unitGB', 'unitTB'];

export function createFormat(t: Translate, locale: string | undefined): Format {
  const short = new Intl.NumberFormat(locale, { maximumFractionDigits: 1, useGrouping: false });
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 6 });
  const percents = new Intl.NumberFormat(locale, { style: 'percent' });
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
  const times = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
  const duration = (ms: number): string => {
    if (rounded(ms) < 1000) return t('unitMs', { n: short.format(Math.round(ms)) });
    const [unit, value] = inUnit(ms / 1000);
    return t(unit, { n: short.format(rounded(value)) });
  };
  const bytes = (bytes: number): string => {
    let value = bytes;
    let power = 0;
    // The rounded value is compared, so that 1,048,575 bytes are 1 MB and not 1024 KB.
    while (rounded(value) >= 1024 && power < byteUnits.length - 1) {
      value /= 1024;
      power++;
    }
    return t(byteUnits[power] as MessageKey, { n: short.format(rounded(value)) });
  };
  return {
    bytes,
    bytesApart(one, other) {
      const isClear = one === other || bytes(one) !== bytes(other);
      const show = isClear ? bytes : (bytes: number): string => t('exactBytes', { count: bytes });
      return [show(one), show(other)];
    },
    duration,
    number: (value) => numbers.format(value),
    percent: (part) => percents.format(part),
    ago(date, now) {
      const ms = now.getTime() - date.getTime();
      return ms < 10_000 ? t('justNow') : t('ago', { time: duration(Math.round(ms / 1000) * 1000) });
    },
    exact: (date) => dates.format(date),
    clock: (date) => times.format(date),
  };
}

function inUnit(seconds: number): [MessageKey, number] {
  if (rounded(seconds) < 60) return ['unitS', seconds];
  if (Math.round(seconds / 60) < 60) return ['unitMin', Math.round(seconds / 60)];
  if (Math.round(seconds / 3600) < 48) return ['unitH', Math.round(seconds / 3600)];
  return ['unitD', Math.round(seconds / 86_400)];
}

function rounded(value: number): number {
  return value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value);
}
