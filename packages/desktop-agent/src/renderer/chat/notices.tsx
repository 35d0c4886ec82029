import { FirstRunStrip, ModelHintBanner, SandboxNotice, useSandboxHealth } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { useDismissed } from '../state/use-dismissed.ts';

/** What is said about scripts between the messages and the box for the next one. Nothing as long as all is well. */
export function Notices(): ReactElement {
  const agent = useAgent();
  const health = useSandboxHealth(agent.runs());
  const hint = useAgentState(({ modelHint, chatId }) => (modelHint?.chatId === chatId ? modelHint : undefined));
  // Only while one waits or runs: after it, it is news of yesterday.
  const hasScript = useAgentState(({ open }) =>
    (open?.messages ?? []).some(({ parts }) => parts.some((part) => part.type === 'script' && part.record === null)),
  );
  const [isStripGone, dismissStrip] = useDismissed('first-run');
  return (
    <div className="ma-column ma-notices">
      <SandboxNotice health={health} />
      {hasScript && !isStripGone && <FirstRunStrip onDismiss={dismissStrip} />}
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
