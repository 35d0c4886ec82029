import type { ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { CardLine } from '../parts/card-line.tsx';
import type { IconName } from '../parts/icons.tsx';
import type { Headline } from '../run/headline.ts';
import type { RunStatus } from '../run/run.ts';
import { RunningVerb } from './running-verb.tsx';

const icons: Record<RunStatus, IconName> = {
  waiting: 'question',
  running: 'dots',
  success: 'check',
  error: 'cross',
  timeout: 'clock',
  crashed: 'crash',
  denied: 'hand',
};

/** The line itself: the button that opens the card. */
export function CardHeader({
  headline: { title, stats, label },
  status,
  seed,
}: {
  headline: Headline;
  status: RunStatus;
  /** Chooses the verb of a run that is under way. */
  seed: string;
}): ReactElement {
  const { t } = useLanguage();
  return (
    <CardLine
      icon={icons[status]}
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
