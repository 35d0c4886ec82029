import { ScriptCard, useRuns, type Run, type RunStore } from '@mustard-sandbox/cards';
import { Fragment, useMemo, type ReactElement } from 'react';
import type { Message } from '../../contract/index.ts';
import { Button } from '../parts/controls.tsx';
import { useAgent } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

/** Runs that no message has: those that the person started again. */
export function Reruns({ messages, runs }: { messages: readonly Message[]; runs: RunStore }): ReactElement | null {
  const agent = useAgent();
  const chatId = messages[0]?.chatId ?? '';
  const all = useRuns(runs);
  const known = useMemo(
    () => new Set(messages.flatMap(({ parts }) => parts.flatMap((part) => ('runId' in part ? [part.runId] : [])))),
    [messages],
  );
  const own = all.filter(({ runId }) => runId !== undefined && !known.has(runId));
  if (own.length === 0) return null;
  return (
    <section className="ma-column ma-message" aria-label={texts.rerunHeading}>
      <p className="ma-quiet">{texts.rerunHeading}</p>
      {own.map((run) => (
        <Fragment key={run.runId}>
          <ScriptCard run={run} />
          {isUnderWay(run) && (
            <div className="ma-actions">
              <Button
                icon="stop"
                onClick={() =>
                  void agent.attempt(() => agent.call('stop-script', { chatId, runId: run.runId as string }))
                }
              >
                {texts.stopScript}
              </Button>
            </div>
          )}
        </Fragment>
      ))}
    </section>
  );
}

function isUnderWay(run: Run): boolean {
  return 'status' in run && (run.status === 'waiting' || run.status === 'running');
}
