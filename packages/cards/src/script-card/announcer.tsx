import { useEffect, useRef, useState, type ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import type { Headline } from '../run/headline.ts';

/** Tells a screen reader when a run begins and ends; nothing of a run that had ended before it was shown. */
export function Announcer({ isUnderWay, headline }: { isUnderWay: boolean; headline: Headline }): ReactElement {
  const { t } = useLanguage();
  const [said, setSaid] = useState('');
  const before = useRef<boolean>(undefined);
  const { what, outcome } = headline;
  useEffect(() => {
    const had = before.current;
    before.current = isUnderWay;
    if (had === isUnderWay || (had === undefined && !isUnderWay)) return;
    setSaid(isUnderWay ? t('announceStart', { what }) : t('announceEnd', { what, outcome }));
  }, [isUnderWay, what, outcome, t]);
  return (
    <span role="status" aria-live="polite" className="ms-visually-hidden">
      {said}
    </span>
  );
}
