import type { ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { CardLine } from '../parts/card-line.tsx';
import type { Headline } from '../run/headline.ts';
import { states, type RunStatus } from '../run/states.ts';
import { RunningVerb } from './running-verb.tsx';

/** The line of a card as the button that opens it. */
export function CardHeader({
  headline: { title, stats, label },
  status,
  seed,
}: {
  headline: Headline;
  status: RunStatus;
  /** Chooses the verb of a run that has not ended. */
  seed: string;
}): ReactElement {
  const { t } = useLanguage();
  return (
    <CardLine
      icon={states[status].icon}
      kind={t('script')}
      title={
        <span className="ms-card-title" dir="auto">
          {title}
        </span>
      }
      stats={status === 'running' ? <RunningVerb seed={seed} /> : stats.join(' · ')}
      label={label}
    />
  );
}
