import { useMemo, type ReactElement } from 'react';
import type { ToolRun } from '../../shared/contract/index.ts';
import { Button } from '../parts/controls.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { ToolRunCard } from './tool-run-card.tsx';

/** A script that calls tools, and the forks that a person has started from its calls. */
export function ToolScript({ runId, chatId }: { runId: string; chatId: string }): ReactElement | null {
  const all = useAgentState(({ open }) => open?.toolRuns);
  const run = useMemo(() => all?.find((one) => one.runId === runId), [all, runId]);
  const forks = useMemo(() => forksOf(all ?? [], runId), [all, runId]);
  const isStreaming = useAgentState(({ open }) => open?.chat.streaming === true);
  if (run === undefined) return null;
  return (
    <>
      <ToolRunCard run={run} />
      {run.record !== null && !run.isTold && run.state !== 'cancelled' && !isStreaming && <GoOn chatId={chatId} />}
      {forks.map((fork) => (
        <section key={fork.runId} className="ma-reruns" aria-label={texts.runForks(fork.forkOf?.call ?? 0)}>
          <p className="ma-quiet">{texts.runForks(fork.forkOf?.call ?? 0)}</p>
          <ToolRunCard run={fork} isOpen />
        </section>
      ))}
    </>
  );
}

/** The answer had ended before a person decided. Only the person can begin another one. */
function GoOn({ chatId }: { chatId: string }): ReactElement {
  const agent = useAgent();
  const goOn = (): void => {
    void agent.attempt(() => agent.call('chat:stream', { chatId, text: texts.runGoOnText, uploads: [] }));
  };
  return (
    <div className="ma-notice" data-kind="quiet">
      <p>{texts.runGoOnHint}</p>
      <div className="ma-actions">
        <Button onClick={goOn}>{texts.runGoOn}</Button>
      </div>
    </div>
  );
}

/** The forks of a run, including forks of forks. */
function forksOf(all: readonly ToolRun[], runId: string): ToolRun[] {
  const own = all.filter(({ forkOf }) => forkOf?.runId === runId);
  return own.flatMap((fork) => [fork, ...forksOf(all, fork.runId)]);
}
