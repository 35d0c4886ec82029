import { ScriptCard, useRuns, type RunStore } from '@mustard-sandbox/cards';
import { useMemo, type ReactElement } from 'react';
import type { Message } from '../../contract/index.ts';
import { texts } from '../words/texts.ts';

/** Runs that no message has: those that the person started again. */
export function Reruns({ messages, runs }: { messages: readonly Message[]; runs: RunStore }): ReactElement | null {
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
        <ScriptCard key={run.runId} run={run} />
      ))}
    </section>
  );
}
