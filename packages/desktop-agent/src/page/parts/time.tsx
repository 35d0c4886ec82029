import { useLanguage } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';

/** A relative time such as `3 min ago`, with the exact time on hover. */
export function Time({ at }: { at: string }): ReactElement {
  const { format } = useLanguage();
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span />;
  return (
    <time className="ma-quiet ma-time" dateTime={at} title={format.exact(date)}>
      {format.ago(date, new Date())}
    </time>
  );
}
