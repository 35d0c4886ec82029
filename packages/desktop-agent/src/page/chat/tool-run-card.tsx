import { ScriptCard, type Run, type ScriptCall } from '@mustard-sandbox/cards';
import type { ReactElement, ReactNode } from 'react';
import type { ToolRun } from '../../shared/contract/index.ts';
import { useUi } from '../app/ui.ts';
import { Button } from '../parts/controls.tsx';
import { takeToolRun } from '../state/tool-runs.ts';
import { useAgent } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

/** The card of a script that calls tools. It shows the calls, what the script waits for, and what a person can do. */
export function ToolRunCard({
  run,
  isOpen,
  children,
}: {
  run: ToolRun;
  isOpen?: boolean;
  /** Further actions. */
  children?: ReactNode;
}): ReactElement {
  const agent = useAgent();
  const ui = useUi();
  const { runId, state, waitsFor } = run;
  const isActive = state === 'running' || state === 'waiting';
  const cancel = async (): Promise<void> => {
    takeToolRun(agent.store, await agent.call('cancel-tool-run', { runId }));
    agent.toast({ kind: 'info', text: texts.runCancelled });
  };
  return (
    <div className="ma-tool-run">
      <ScriptCard
        run={cardOf(run)}
        calls={run.calls as readonly ScriptCall[]}
        {...(isOpen !== undefined && { defaultOpen: isOpen })}
        onDecide={async (call, decision) => {
          takeToolRun(agent.store, await agent.call('decide-call', { runId, call, decision }));
        }}
        onFork={async (call, answer) => void (await agent.call('fork-tool-run', { runId, call, answer }))}
        onManageScripts={() => ui.openSettings('tools')}
      />
      {waitsFor.includes('restart') && <p className="ma-quiet">{texts.runRestart}</p>}
      {(isActive || children !== undefined) && (
        <div className="ma-actions">
          {isActive && (
            <Button icon="stop" onClick={() => void agent.attempt(cancel)}>
              {texts.runStop}
            </Button>
          )}
          {children}
        </div>
      )}
    </div>
  );
}

function cardOf({ runId, state, waitsFor, record, script, at }: ToolRun): Run {
  if (record !== null) return record as Run;
  const isWaiting = state === 'waiting' && waitsFor.some((each) => each !== 'time');
  return { runId, status: isWaiting ? 'waiting' : 'running', begun: true, script, at };
}
