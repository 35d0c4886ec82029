import { ModelHintBanner, SandboxNotice, useSandboxHealth } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import { useAgent, useAgentState } from '../state/use-agent.ts';

/** What is said about scripts between the messages and the box for the next one. Nothing as long as all is well. */
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
