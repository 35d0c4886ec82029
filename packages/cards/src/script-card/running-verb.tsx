import { useEffect, useState, type ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';

const msPerVerb = 2_400;
const msPerLetter = 60;

/**
 * Verbs for what a script may be doing, letter by letter, in a loop. It is one still word for people who want no
 * motion.
 */
export function RunningVerb({ seed }: { seed: string }): ReactElement {
  const { t } = useLanguage();
  const verbs = t('verbs').split('|');
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return undefined;
    const timer = setInterval(() => setTurn((turn) => turn + 1), msPerVerb);
    return () => clearInterval(timer);
  }, []);
  const first = [...seed].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0);
  const verb = verbs[(first + turn) % verbs.length] ?? '';
  return (
    <span className="ms-verb" aria-hidden="true" key={turn}>
      {[...verb, '…'].map((letter, index) => (
        <span key={index} style={{ animationDelay: `${index * msPerLetter}ms` }}>
          {letter}
        </span>
      ))}
    </span>
  );
}
