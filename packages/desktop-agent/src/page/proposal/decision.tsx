import { useState, type ReactElement } from 'react';
import type { Message, Proposal } from '../../shared/contract/index.ts';
import { Button } from '../parts/controls.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { choiceOf, useChosen } from './chosen.ts';

/** Approve or reject. One press is enough, because a commit can be undone, and a rejected proposal can still be read. */
export function Decision({ message, proposal }: { message: Message; proposal: Proposal }): ReactElement {
  const agent = useAgent();
  const [isAsked, setAsked] = useState(false);
  const isOffline = useAgentState(({ connected }) => connected === false);
  const hasGit = useAgentState(({ apps, appId }) => apps.find(({ id }) => id === appId)?.git !== false);
  const chosen = useChosen(message.id);
  const choice = choiceOf(proposal, chosen);
  const ids = { chatId: message.chatId, messageId: message.id };
  const decide = async (ask: () => Promise<unknown>): Promise<void> => {
    setAsked(true);
    await agent.attempt(ask);
    setAsked(false);
  };
  const approve = (): void => {
    const { revision } = proposal;
    const approved = { ...ids, ...(revision !== undefined && { revision }), ...(choice !== undefined && { choice }) };
    void decide(() => agent.call('approve-proposal', approved));
  };
  const busy = isAsked || proposal.state === 'applying' ? texts.proposalStates.applying : undefined;
  const whyNot = isOffline ? texts.whyNotSend.offline : busy;
  const isNothing =
    choice !== undefined && choice.files.length === 0 && (!choice.dependencies || proposal.dependencies.length === 0);
  const notYet = chosen.editing !== undefined ? texts.editIsOpen : isNothing ? texts.nothingChosen : undefined;
  return (
    <>
      <Button kind="primary" icon="check" whyNot={whyNot ?? (hasGit ? notYet : texts.noGitApprove)} onClick={approve}>
        {choice !== undefined ? texts.approvePart : proposal.state === 'failed' ? texts.retry : texts.approve}
      </Button>
      <Button whyNot={whyNot} onClick={() => void decide(() => agent.call('reject-proposal', ids))}>
        {texts.reject}
      </Button>
    </>
  );
}
