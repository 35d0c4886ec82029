import { Printed } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import { Composer } from '../composer/composer.tsx';
import { EmptyChat } from '../first/empty-chat.tsx';
import { ContinuedFrom } from '../going-on/continued.tsx';
import { EditDialog } from '../going-on/edit-dialog.tsx';
import { Failure, Skeleton } from '../parts/controls.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { MessageList } from './message-list.tsx';
import { Notices } from './notices.tsx';

/** The messages of the chat that is open, over the box for the next one. */
export function ChatScreen(): ReactElement {
  const chatId = useAgentState((state) => state.chatId);
  return (
    <main className="ma-chat">
      <ContinuedFrom />
      <Messages />
      <Notices />
      <Composer key={chatId ?? 'none'} />
      <EditDialog />
    </main>
  );
}

function Messages(): ReactElement {
  const agent = useAgent();
  const chatId = useAgentState((state) => state.chatId);
  const open = useAgentState((state) => state.open);
  const problem = useAgentState((state) => state.openProblem);
  if (problem !== undefined && open === undefined) {
    return (
      <div className="ma-column ma-scroll">
        <Failure title={texts.chatGone} retry={texts.retry} onRetry={() => void agent.openChat(chatId)}>
          <Printed text={problem.message} />
        </Failure>
      </div>
    );
  }
  if (chatId !== undefined && open === undefined) {
    return (
      <div className="ma-column ma-scroll">
        <Skeleton lines={6} label={texts.chatLoading} />
      </div>
    );
  }
  return (
    <>
      {open === undefined || open.messages.length === 0 ? (
        <EmptyChat />
      ) : (
        <MessageList key={open.chat.id} messages={open.messages} runs={agent.runs()} />
      )}
    </>
  );
}
