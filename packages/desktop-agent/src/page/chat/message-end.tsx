import { Icon, Printed } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { Message } from '../../shared/contract/index.ts';
import { Button } from '../parts/controls.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

/** The state of an answer: under way, stopped, cut off or failed, and what a person can do about it. */
export function MessageEnd({ message, isLast }: { message: Message; isLast: boolean }): ReactElement | null {
  const { state, error, parts } = message;
  const isSummary = parts[0]?.type === 'summary';
  switch (state) {
    case 'complete':
      return null;
    case 'streaming':
      // The first word replaces this line.
      return parts.length > 0 ? null : (
        <p className="ma-quiet ma-with-icon">
          <span className="ma-pulse" />
          {texts.streaming}
        </p>
      );
    case 'cancelled':
      return (
        <div className="ma-notice" data-kind="quiet">
          <p>{isSummary ? texts.summaryStopped : texts.cancelled(parts.length === 0)}</p>
          {isLast && !isSummary && <Retry message={message} />}
        </div>
      );
    case 'interrupted':
    case 'failed':
      return (
        <div className="ma-notice" data-kind="error" role="alert">
          <p className="ma-strong ma-with-icon">
            <Icon name="warning" />
            {isSummary ? texts.summaryFailed : state === 'failed' ? texts.failed : texts.interrupted}
          </p>
          <p className="ma-wrap" dir="auto">
            <Printed
              text={
                error ??
                (state === 'failed' ? texts.failedUnknown : isSummary ? texts.summaryCut : texts.interruptedWhy)
              }
            />
          </p>
          {isLast && !isSummary && <Retry message={message} />}
        </div>
      );
  }
}

/** Sends the message before this answer again. Its files are already in the chat. */
function Retry({ message }: { message: Message }): ReactElement | null {
  const agent = useAgent();
  const text = useAgentState(({ open }) => wordsBefore(message, open?.messages ?? []));
  // A message that had only files has no text to send again.
  if (text.trim() === '') return null;
  const retry = (): void => {
    void agent.attempt(() => agent.call('chat:stream', { chatId: message.chatId, text, uploads: [] }));
  };
  return (
    <div className="ma-actions">
      <Button icon="undo" onClick={retry}>
        {texts.retry}
      </Button>
    </div>
  );
}

function wordsBefore({ id }: Message, messages: readonly Message[]): string {
  const index = messages.findIndex((message) => message.id === id);
  const before = messages.slice(0, index).findLast(({ role }) => role === 'user');
  return (before?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}
