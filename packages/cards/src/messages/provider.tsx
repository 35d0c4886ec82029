import { createContext, useContext, useMemo, type ReactElement, type ReactNode } from 'react';
import { createFormat, type Format } from './format.ts';
import { defaultMessages, type Messages } from './messages.ts';
import { createTranslate, type Translate } from './translate.ts';

/** How the cards around speak: their texts by key, and numbers, sizes and times as a person reads them. */
export interface Language {
  t: Translate;
  format: Format;
}

const english: Language = languageOf({}, undefined);
const LanguageContext = createContext(english);

/** Properties of `CardsProvider`. */
export interface CardsProviderProps {
  /** Texts of another language, or other words; what is left out is English. */
  messages?: Partial<Messages>;
  /** How numbers and dates are written, as BCP 47. Default: that of the system. */
  locale?: string;
  children?: ReactNode;
}

/** Gives the cards below it their texts and their locale. Not needed for English in the locale of the system. */
export function CardsProvider({ messages, locale, children }: CardsProviderProps): ReactElement {
  const language = useMemo(() => languageOf(messages ?? {}, locale), [messages, locale]);
  return <LanguageContext.Provider value={language}>{children}</LanguageContext.Provider>;
}

/** The language of the `CardsProvider` around; English where there is none. */
export function useLanguage(): Language {
  return useContext(LanguageContext);
}

function languageOf(messages: Partial<Messages>, locale: string | undefined): Language {
  const t = createTranslate({ ...defaultMessages, ...messages }, locale);
  return { t, format: createFormat(t, locale) };
}
