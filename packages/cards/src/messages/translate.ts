import type { MessageKey, Messages, PluralMessage } from './messages.ts';

/** What is filled into a text. Numbers are written as the locale writes them; `count` chooses the plural form. */
export type Fillers = Record<string, string | number>;

/** Gives the text of a key with its places filled in. */
export type Translate = (key: MessageKey, fillers?: Fillers) => string;

/** @param locale BCP 47, as `Intl` takes it */
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

/** In one pass: what is filled in is not looked at again, so that a file may be called `{size}`. */
function fill(template: string, fillers: Fillers, numbers: Intl.NumberFormat): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(fillers, name) ? fillers[name] : undefined;
    if (value === undefined) return whole;
    return typeof value === 'number' ? numbers.format(value) : value;
  });
}
