import * as Collapsible from '@radix-ui/react-collapsible';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { headlineOf, type Headline } from '../run/headline.ts';
import { isUnderWay, statusOf, type Run, type RunStatus } from '../run/run.ts';
import { CardBody } from './card-body.tsx';
import { CardHeader } from './card-header.tsx';
import { CardMenu } from './card-menu.tsx';

/** What a card can ask of its host. What is left out is not offered. */
export interface ScriptCardActions {
  /** Runs the script again, with consent like any other. */
  onRerun?: () => void;
  /** The person says what the model should do differently. */
  onRetry?: (guidance: string) => void;
  /** Opens the settings of scripts. */
  onManageScripts?: () => void;
  /** The whole text of a result that was cut, by the name that its record has for it: `attachments:script-output-….txt`. */
  loadFullOutput?: (name: string) => Promise<string>;
}

/** Properties of `ScriptCard`. */
export interface ScriptCardProps extends ScriptCardActions {
  /** A record, or a call that is under way. */
  run: Run;
  /** Whether it is open, where the host decides that. */
  open?: boolean;
  /** Whether it is open at first. Default: closed, but open after an error. */
  defaultOpen?: boolean;
  onOpenChange?: (open: boolean) => void;
}

const openStates = new Set<RunStatus>(['error', 'timeout', 'crashed']);

/** One call of the tool: a quiet line that opens. Showing a record runs nothing. */
export function ScriptCard(props: ScriptCardProps): ReactElement {
  const { run, open, defaultOpen, onOpenChange, ...actions } = props;
  const { t, format } = useLanguage();
  const status = statusOf(run);
  const headline = headlineOf(run, t, format);
  // Not chosen yet: a run that fails under the eyes of a person opens.
  const [chosen, choose] = useMaybeControlled<boolean | 'by state'>(open, defaultOpen ?? 'by state', (next) =>
    onOpenChange?.(next === true),
  );
  const isOpen = chosen === 'by state' ? openStates.has(status) : chosen;
  return (
    <Collapsible.Root className="ms ms-card" data-status={status} open={isOpen} onOpenChange={choose}>
      <div className="ms-card-head">
        <CardHeader headline={headline} status={status} seed={run.runId ?? run.at} />
        <CardMenu run={run} {...actions} />
      </div>
      <Collapsible.Content className="ms-card-body">
        <CardBody run={run} {...actions} />
      </Collapsible.Content>
      <Announcer status={status} headline={headline} />
    </Collapsible.Root>
  );
}

/** A state that the owner may hold itself: by `value` and `onChange`, or not at all. */
function useMaybeControlled<T>(
  value: T | undefined,
  initial: T,
  onChange: ((value: T) => void) | undefined,
): [T, (value: T) => void] {
  const [own, setOwn] = useState(initial);
  return [
    value ?? own,
    (next) => {
      setOwn(next);
      onChange?.(next);
    },
  ];
}

/** Tells a screen reader when a run waits, begins and ends; nothing of a run that had ended before it was shown. */
function Announcer({ status, headline }: { status: RunStatus; headline: Headline }): ReactElement {
  const { t } = useLanguage();
  const [said, setSaid] = useState('');
  const before = useRef<RunStatus>(undefined);
  const { what, outcome } = headline;
  useEffect(() => {
    const had = before.current;
    before.current = status;
    if (had === status || (had === undefined && !isUnderWay(status))) return;
    if (status === 'waiting') setSaid(t('announceWaiting'));
    else setSaid(status === 'running' ? t('announceStart', { what }) : t('announceEnd', { what, outcome }));
  }, [status, what, outcome, t]);
  return (
    <span role="status" aria-live="polite" className="ms-visually-hidden">
      {said}
    </span>
  );
}
