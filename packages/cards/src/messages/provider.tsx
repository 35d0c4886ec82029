import { createContext, useContext, useMemo, type ReactElement, type ReactNode } from 'react';
import { createFormat, type Format } from './format.ts';
import { defaultMessages, type Messages } from './messages.ts';
import { createTranslate, type Translate } from './translate.ts';

/** The language of the cards: their texts by key, and the format of numbers, sizes and times. */
export interface Language {
  t: Translate;
  format: Format;
}

const english: Language = languageOf({}, undefined);
const LanguageContext = createContext(english);

/** Properties of `CardsProvider`. */
export interface CardsProviderProps {
  /** Texts in another language, or other words. A text that is left out is English. */
  messages?: Partial<Messages>;
  /** The locale of numbers and dates, as BCP 47. Default: the locale of the system. */
  locale?: string;
  children?: ReactNode;
}

/** Gives the cards below it their texts and their locale. Not needed for English in the locale of the system. */
export function CardsProvider({ messages, locale, children }: CardsProviderProps): ReactElement {
  const language = useMemo(() => languageOf(messages ?? {}, locale), [messages, locale]);
  return <LanguageContext.Provider value={language}>{children}</LanguageContext.Provider>;
}

/** The language of the `CardsProvider` above. Without one it is English. */
export function useLanguage(): Language {
  return useContext(LanguageContext);
}

function languageOf(messages: Partial<Messages>, locale: string | undefined): Language {
  const t = createTranslate({ ...defaultMessages, ...messages }, locale);
  return { t, format: createFormat(t, locale) };
}
