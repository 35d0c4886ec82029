import { useState, type ReactElement } from 'react';
import type { Message, Proposal } from '../../shared/contract/index.ts';
import { Button } from '../parts/controls.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

/** Approve or reject. One press is enough: a commit can be undone, and a rejected proposal stays to be read. */
export function Decision({ message, proposal }: { message: Message; proposal: Proposal }): ReactElement {
  const agent = useAgent();
  const [isAsked, setAsked] = useState(false);
  const isOffline = useAgentState(({ connected }) => connected === false);
  const hasGit = useAgentState(({ apps, appId }) => apps.find(({ id }) => id === appId)?.git !== false);
  const decide = async (channel: 'approve-proposal' | 'reject-proposal'): Promise<void> => {
    setAsked(true);
    await agent.attempt(() => agent.call(channel, { chatId: message.chatId, messageId: message.id }));
    setAsked(false);
  };
  const busy = isAsked || proposal.state === 'applying' ? texts.proposalStates.applying : undefined;
  const whyNot = isOffline ? texts.whyNotSend.offline : busy;
  return (
    <>
      <Button
        kind="primary"
        icon="check"
        whyNot={whyNot ?? (hasGit ? undefined : texts.noGitApprove)}
        onClick={() => void decide('approve-proposal')}
      >
        {proposal.state === 'failed' ? texts.retry : texts.approve}
      </Button>
      <Button whyNot={whyNot} onClick={() => void decide('reject-proposal')}>
        {texts.reject}
      </Button>
    </>
  );
}
