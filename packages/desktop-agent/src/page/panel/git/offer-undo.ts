import type { Joined } from '../../../shared/contract/index.ts';
import type { Agent } from '../../state/page-agent.ts';
import { texts } from '../../words/texts.ts';

const undoMs = 60_000;

/** Says what was joined, and takes it back when that is pressed. */
export function offerUndo(
  agent: Agent,
  appId: string,
  { commit }: Extract<Joined, { outcome: 'joined' }>,
  text: string,
): void {
  const undo = async (): Promise<void> => {
    await agent.call('undo-join', { appId, commit });
    agent.toast({ kind: 'info', text: texts.pullUndone });
  };
  agent.toast({
    kind: 'info',
    text,
    until: Date.now() + undoMs,
    action: { label: texts.undo, run: () => void agent.attempt(undo) },
  });
}
