import { Icon, oneLine, QuestionDialog } from '@mustard-sandbox/cards';
import { useEffect, useState, type ReactElement, type ReactNode } from 'react';
import type { WaitingRun } from '../../shared/contract/index.ts';
import { useUi } from '../app/ui.ts';
import { ToolRunCard } from '../chat/tool-run-card.tsx';
import { Button, Empty, Failure, Skeleton } from '../parts/controls.tsx';
import { Time } from '../parts/time.tsx';
import { problemOf } from '../state/problem.ts';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

/** The scripts of all chats that wait for the person. Each can be looked at, answered and cancelled. */
export function WaitingDialog(): ReactElement {
  const agent = useAgent();
  const ui = useUi();
  const runs = useAgentState((state) => state.waitingRuns);
  const [chosen, choose] = useState<string | undefined>(runs.length === 1 ? runs[0]?.runId : undefined);
  const close = (): void => {
    agent.store.set({ lookedAt: undefined });
    ui.set({ dialog: undefined });
  };
  const openChat = async ({ appId, chatId }: WaitingRun): Promise<void> => {
    close();
    if (agent.store.get().appId !== appId) await agent.openApp(appId);
    await agent.openChat(chatId);
  };
  const foot = (
    <div className="ms-dialog-actions">
      <span className="ms-spacer" />
      <Button data-safe onClick={close}>
        {texts.close}
      </Button>
    </div>
  );
  return (
    <QuestionDialog title={texts.waitingTitle} onEscape={close} actions={foot}>
      {runs.length === 0 ? (
        <Empty title={texts.waitingNone}>{texts.waitingNoneHint}</Empty>
      ) : (
        <ul className="ma-waiting-list">
          {runs.map((run) => (
            <li key={run.runId}>
              <button
                type="button"
                className="ma-list-row ma-waiting-row"
                aria-expanded={run.runId === chosen}
                onClick={() => choose(run.runId === chosen ? undefined : run.runId)}
              >
                <Icon name="question" />
                <span className="ma-waiting-words">
                  <span className="ma-cut">{wordsOf(run)}</span>
                  <span className="ma-cut ma-quiet" dir="auto">
                    {oneLine(texts.waitingPlace(run.app, run.chat))}
                  </span>
                </span>
                <Time at={run.since} />
              </button>
              {run.runId === chosen && (
                <div className="ma-waiting-body">
                  <Looked runId={run.runId}>
                    <Button onClick={() => void openChat(run)}>{texts.waitingOpen}</Button>
                  </Looked>
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
    </QuestionDialog>
  );
}

function Looked({ runId, children }: { runId: string; children: ReactNode }): ReactElement {
  const agent = useAgent();
  const run = useAgentState(({ lookedAt }) => (lookedAt?.runId === runId ? lookedAt : undefined));
  const [problem, setProblem] = useState<string>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isOver = false;
    agent.call('read-tool-run', { runId }).then(
      (lookedAt) => !isOver && agent.store.set({ lookedAt }),
      (error: unknown) => !isOver && setProblem(problemOf(error).message),
    );
    return () => void (isOver = true);
  }, [agent, runId, tries]);
  if (run !== undefined) {
    return (
      <ToolRunCard run={run} isOpen>
        {children}
      </ToolRunCard>
    );
  }
  if (problem === undefined) return <Skeleton lines={4} label={texts.loading} />;
  const again = (): void => {
    setProblem(undefined);
    setTries(tries + 1);
  };
  return <Failure title={problem} retry={texts.retry} onRetry={again} />;
}

function wordsOf({ tools }: WaitingRun): string {
  if (tools.length === 0) return texts.waitingOther;
  const names = [...new Set(tools)].map((name) => oneLine(name));
  return texts.waitingFor(names.join(', '));
}
