import { ScriptCard, useRun, type Run, type RunStore, type ScriptCardActions } from '@mustard-sandbox/cards';
import { useEffect, useMemo, useRef, type ReactElement } from 'react';
import type { Rerun } from '../../shared/contract/index.ts';
import { Button } from '../parts/controls.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

/** The actions of a run's card. */
export type ActionsOf = (runId: string, run: Run) => ScriptCardActions;

/** The reruns of a script, below the card on which the person started them. */
export function Reruns({
  rerunOf,
  chatId,
  runs,
  wanted,
  actionsOf,
}: {
  rerunOf: string;
  chatId: string;
  runs: RunStore;
  /** The rerun that was started here. It is scrolled into sight. */
  wanted: string | undefined;
  actionsOf: ActionsOf;
}): ReactElement | null {
  const all = useAgentState(({ open }) => open?.reruns);
  const own = useMemo(() => (all ?? []).filter((rerun) => rerun.rerunOf === rerunOf), [all, rerunOf]);
  if (own.length === 0) return null;
  return (
    <section className="ma-reruns" aria-label={texts.rerunHeading}>
      <p className="ma-quiet">{texts.rerunHeading}</p>
      {own.map((rerun) => (
        <RerunCard
          key={rerun.runId}
          rerun={rerun}
          chatId={chatId}
          runs={runs}
          isWanted={rerun.runId === wanted}
          actionsOf={actionsOf}
        />
      ))}
    </section>
  );
}

function RerunCard({
  rerun: { runId, record },
  chatId,
  runs,
  isWanted,
  actionsOf,
}: {
  rerun: Rerun;
  chatId: string;
  runs: RunStore;
  isWanted: boolean;
  actionsOf: ActionsOf;
}): ReactElement | null {
  const agent = useAgent();
  const place = useRef<HTMLDivElement>(null);
  const run = useRun(runs, runId) ?? (record as Run | null);
  const status = run !== null && 'status' in run ? run.status : 'ended';
  useEffect(() => {
    // It is scrolled again when it has ended, because a failure opens its card.
    if (isWanted) place.current?.scrollIntoView({ block: 'nearest' });
  }, [isWanted, status]);
  if (run === null) return null;
  return (
    <div ref={place} className="ma-rerun">
      <ScriptCard run={run} {...actionsOf(runId, run)} />
      {(status === 'waiting' || status === 'running') && (
        <div className="ma-actions">
          <Button icon="stop" onClick={() => void agent.attempt(() => agent.call('stop-script', { chatId, runId }))}>
            {texts.stopScript}
          </Button>
        </div>
      )}
    </div>
  );
}
