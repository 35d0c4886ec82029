import { useCallback, useState } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { copyText } from './copy.ts';

/** Copies a text, and tells screen readers: `said` is the text for a live region. */
export function useCopy(): { copy: (text: string) => void; said: string; isCopied: boolean } {
  const { t } = useLanguage();
  const [state, setState] = useState({ said: '', isCopied: false });
  const copy = useCallback(
    (text: string) => {
      const tell = (isCopied: boolean): void => {
        // A screen reader does not read the same words twice, so a space at the end makes them different.
        setState(({ said }) => {
          const words = t(isCopied ? 'copied' : 'copyFailed');
          return { isCopied, said: said === words ? `${words} ` : words };
        });
      };
      void copyText(text).then(tell);
    },
    [t],
  );
  return { copy, ...state };
}
