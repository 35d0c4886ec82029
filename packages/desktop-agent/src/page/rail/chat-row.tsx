import { oneLine } from '@mustard-sandbox/cards';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import type { Chat } from '../../shared/contract/index.ts';
import { useUi } from '../app/ui.ts';
import { IconButton } from '../parts/controls.tsx';
import { useAgent } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

/** One chat of the list, with its actions. */
export function ChatRow({ chat, isOpen }: { chat: Chat; isOpen: boolean }): ReactElement {
  const agent = useAgent();
  const ui = useUi();
  const [isRenamed, setRenamed] = useState(false);
  const title = oneLine(chat.title) || texts.newChat;
  if (isRenamed) return <Rename chat={chat} onDone={() => setRenamed(false)} />;
  const open = (): void => {
    void agent.openChat(chat.id);
    ui.set({ drawer: false });
  };
  return (
    <div className="ma-chat-row" data-open={isOpen || undefined}>
      <button type="button" className="ma-chat-name" aria-current={isOpen || undefined} title={title} onClick={open}>
        <span dir="auto">{title}</span>
        {chat.streaming && (
          <span className="ma-pulse">
            <span className="ms-visually-hidden">, {texts.chatStreaming}</span>
          </span>
        )}
      </button>
      <span className="ma-row-actions">
        <IconButton icon="pencil" label={texts.renameChat(title)} onClick={() => setRenamed(true)} />
        <IconButton icon="trash" label={texts.deleteChat(title)} onClick={() => void agent.deleteChat(chat)} />
      </span>
    </div>
  );
}

/** A field for the title. Enter and the loss of focus save it. Escape discards it. */
function Rename({ chat, onDone }: { chat: Chat; onDone: () => void }): ReactElement {
  const agent = useAgent();
  const input = useRef<HTMLInputElement>(null);
  const isOver = useRef(false);
  useEffect(() => input.current?.select(), []);
  const end = (keep: boolean): void => {
    if (isOver.current) return;
    isOver.current = true;
    const title = input.current?.value.trim() ?? '';
    if (keep && title !== '' && title !== chat.title) {
      void agent.attempt(() => agent.call('update-chat', { chatId: chat.id, title }));
    }
    onDone();
  };
  return (
    <div className="ma-chat-row">
      <input
        ref={input}
        className="ms-input"
        aria-label={texts.chatTitle}
        defaultValue={chat.title}
        maxLength={200}
        dir="auto"
        onBlur={() => end(true)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Enter') end(true);
          if (event.key !== 'Escape') return;
          // Escape closes only the field, not what is around it.
          event.preventDefault();
          event.stopPropagation();
          end(false);
        }}
      />
    </div>
  );
}
