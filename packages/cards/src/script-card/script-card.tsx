import * as Collapsible from '@radix-ui/react-collapsible';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { RunCalls } from '../calls/run-calls.tsx';
import { headlineOf, type Headline } from '../run/headline.ts';
import { isCalled, isLive, statusOf, type Run } from '../run/run.ts';
import { isUnderWay, states, type RunStatus } from '../run/states.ts';
import { isAsked, type CallActions, type ScriptCall } from '../calls/call.ts';
import type { ScriptCardActions } from './actions.ts';
import { CardBody } from './card-body.tsx';
import { CardHeader } from './card-header.tsx';
import { CardMenu } from './card-menu.tsx';

/** Properties of `ScriptCard`. */
export interface ScriptCardProps extends ScriptCardActions, CallActions {
  /** A record, or a call that has not ended. */
  run: Run;
  /** The calls of a run that can wait, in their order. */
  calls?: readonly ScriptCall[];
  /** Whether it is open. Only for a host that decides that itself. */
  open?: boolean;
  /** Whether it is open at first. Default: closed, but open after an error and while a call waits for a person. */
  defaultOpen?: boolean;
  onOpenChange?: (open: boolean) => void;
}

/** One call of the tool, as a quiet line that opens. Showing a record runs nothing. */
export function ScriptCard(props: ScriptCardProps): ReactElement {
  const { run: given, calls = [], open, defaultOpen, onOpenChange, onDecide, onFork, ...actions } = props;
  const asked = calls.find(isAsked);
  const run = asked === undefined ? given : askingAbout(given, asked);
  const { t, format } = useLanguage();
  const status = statusOf(run);
  const headline = headlineOf(run, t, format);
  // A person has not chosen yet, so a run that fails while they watch opens.
  const [chosen, choose] = useMaybeControlled<boolean | 'by state'>(open, defaultOpen ?? 'by state', (next) =>
    onOpenChange?.(next === true),
  );
  const isOpen = chosen === 'by state' ? states[status].opens === true || asked !== undefined : chosen;
  return (
    <Collapsible.Root
      className="ms ms-card"
      data-status={status}
      data-tone={states[status].tone}
      open={isOpen}
      onOpenChange={choose}
    >
      <div className="ms-card-head">
        <CardHeader headline={headline} status={status} seed={run.runId ?? run.at} />
        <CardMenu run={run} {...actions} />
      </div>
      <Collapsible.Content className="ms-card-body">
        {calls.length > 0 && (
          <RunCalls
            calls={calls}
            script={run.script}
            {...(onDecide !== undefined && { onDecide })}
            {...(onFork !== undefined && { onFork })}
          />
        )}
        <CardBody run={run} {...actions} />
      </Collapsible.Content>
      <Announcer stage={isCalled(run) ? 'called' : status} headline={headline} />
    </Collapsible.Root>
  );
}

/** A card says which call it waits for. */
function askingAbout(run: Run, { tool }: ScriptCall): Run {
  return isLive(run) && run.status === 'waiting' ? { ...run, hostFunction: run.hostFunction ?? tool } : run;
}

/** A state that the owner may control by `value` and `onChange`. Otherwise the component holds it. */
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

/**
 * Tells screen readers when a run waits, begins and ends. It says nothing about a run that had ended before it was
 * shown.
 */
function Announcer({ stage, headline }: { stage: RunStatus | 'called'; headline: Headline }): ReactElement {
  const { t } = useLanguage();
  const [said, setSaid] = useState('');
  const before = useRef<RunStatus | 'called'>(undefined);
  const { what, outcome } = headline;
  useEffect(() => {
    const had = before.current;
    before.current = stage;
    if (had === stage || stage === 'called' || (had === undefined && !isUnderWay(stage))) return;
    if (stage === 'waiting') setSaid(t('announceWaiting'));
    else setSaid(stage === 'running' ? t('announceStart', { what }) : t('announceEnd', { what, outcome }));
  }, [stage, what, outcome, t]);
  return (
    <span role="status" aria-live="polite" className="ms-visually-hidden">
      {said}
    </span>
  );
}
