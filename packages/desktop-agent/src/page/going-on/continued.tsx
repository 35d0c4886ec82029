import { oneLine } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { Chat } from '../../shared/contract/index.ts';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

/** Over the messages of a chat that goes on from a message of another one: which, and what became of the files. */
export function ContinuedFrom(): ReactElement | null {
  const from = useAgentState(({ open }) => open?.chat.continuedFrom ?? null);
  const known = useAgentState(({ chats }) => chats?.find(({ id }) => id === from?.chatId));
  if (from === null) return null;
  const title = oneLine(known?.title ?? from.title);
  return (
    <div className="ma-column">
      <p className="ma-continued ma-quiet ma-wrap" dir="auto">
        {texts.continuedFrom}{' '}
        {known === undefined ? <span>{texts.continuedGone(title)}</span> : <ToChat chat={known} title={title} />}.{' '}
        {texts.continuedFiles[from.files](from.to?.slice(0, 7) ?? '')}
      </p>
    </div>
  );
}

/** Below a message that was edited: where the chat went on from it. */
export function ContinuedIn({ messageId }: { messageId: string }): ReactElement | null {
  const chats = useAgentState((state) => state.chats);
  const found = (chats ?? []).filter(({ continuedFrom }) => continuedFrom?.messageId === messageId);
  if (found.length === 0) return null;
  return (
    <p className="ma-continued-in ma-quiet ma-wrap" dir="auto">
      {texts.continuedIn}{' '}
      {found.map((chat, index) => (
        <span key={chat.id}>
          {index > 0 && ', '}
          <ToChat chat={chat} title={oneLine(chat.title)} />
        </span>
      ))}
    </p>
  );
}

function ToChat({ chat, title }: { chat: Chat; title: string }): ReactElement {
  const agent = useAgent();
  return (
    <button type="button" className="ms-link" onClick={() => void agent.openChat(chat.id)}>
      {title}
    </button>
  );
}
