import type { MessageKey, Messages, PluralMessage } from './messages.ts';

/** The values for the places in a text. Numbers are written in the locale; `count` chooses the plural form. */
export type Fillers = Record<string, string | number>;

/** Returns the text of a key with its places filled in. */
export type Translate = (key: MessageKey, fillers?: Fillers) => string;

/** @param locale BCP 47, in the form of `Intl` */
export function createTranslate(messages: Messages, locale: string | undefined): Translate {
  const numbers = new Intl.NumberFormat(locale);
  const plurals = new Intl.PluralRules(locale);
  return (key, fillers = {}) => {
    const message: string | PluralMessage = messages[key];
    const { count } = fillers;
    const template =
      typeof message === 'string'
        ? message
        : (message[typeof count === 'number' ? plurals.select(count) : 'other'] ?? message.other);
    return fill(template, fillers, numbers);
  };
}

/** Fills all places in one pass, so that values are not searched for places: a file may be called `{size}`. */
function fill(template: string, fillers: Fillers, numbers: Intl.NumberFormat): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(fillers, name) ? fillers[name] : undefined;
    if (value === undefined) return whole;
    return typeof value === 'number' ? numbers.format(value) : value;
  });
}
