import * as Collapsible from '@radix-ui/react-collapsible';
import type { ReactElement, ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';

/**
 * The line of a card: a button over all of it with a label for screen readers, and beneath it the visible text. The
 * label differs from the visible text, so that text is not the content of the button.
 */
export function CardLine({
  icon,
  kind,
  title,
  stats,
  label,
}: {
  icon: IconName;
  kind: string;
  title: ReactNode;
  stats: ReactNode;
  label: string;
}): ReactElement {
  return (
    <div className="ms-card-line">
      <Collapsible.Trigger className="ms-card-trigger" aria-label={label} />
      <span className="ms-card-sight" aria-hidden="true">
        <Icon name={icon} />
        <span className="ms-card-kind">{kind}</span>
        {title}
        <span className="ms-card-stats">{stats}</span>
        <Icon name="chevron" />
      </span>
    </div>
  );
}
