import { ModelHintBanner, SandboxNotice, useSandboxHealth } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import { useAgent, useAgentState } from '../state/use-agent.ts';

/** Notices about scripts, between the messages and the composer. There are none while all is well. */
export function Notices(): ReactElement {
  const agent = useAgent();
  const health = useSandboxHealth(agent.runs());
  const hint = useAgentState(({ modelHint, chatId }) => (modelHint?.chatId === chatId ? modelHint : undefined));
  return (
    <div className="ma-column ma-notices">
      <SandboxNotice health={health} />
      {hint !== undefined && (
        <ModelHintBanner
          message={hint.message}
          onDismiss={() => agent.store.set({ modelHint: undefined })}
          onChooseModel={() => document.querySelector<HTMLElement>('#model')?.focus()}
        />
      )}
    </div>
  );
}
