import type { RunStore } from '@mustard-sandbox/cards';
import { useRef, type ReactElement } from 'react';
import { Virtualizer } from 'virtua';
import type { Message } from '../../shared/contract/index.ts';
import { Button } from '../parts/controls.tsx';
import { ErrorBoundary } from '../parts/error-boundary.tsx';
import { texts } from '../words/texts.ts';
import { MessageView } from './message.tsx';
import { useBottom } from './use-bottom.ts';

/** All messages of a chat. Only those that are nearly in sight are in the DOM. */
export function MessageList({ messages, runs }: { messages: readonly Message[]; runs: RunStore }): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { isAtBottom, onScroll, onKeyDown, jump } = useBottom({ scroller, content, count: messages.length });
  const last = messages.at(-1);
  return (
    <div className="ma-messages-frame">
      {/* Focusable, so that the keyboard scrolls it. */}
      <div
        ref={scroller}
        className="ma-scroll ma-messages"
        role="log"
        aria-live="off"
        aria-label={texts.messages}
        tabIndex={0}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
      >
        <div ref={content}>
          <Virtualizer data={messages} bufferSize={600} scrollRef={scroller}>
            {(message) => (
              <ErrorBoundary key={message.id} resetKey={message}>
                <MessageView message={message} runs={runs} isLast={message.id === last?.id} />
              </ErrorBoundary>
            )}
          </Virtualizer>
        </div>
      </div>
      {!isAtBottom && (
        <Button icon="down" className="ma-jump" onClick={jump}>
          {texts.jumpToLatest}
        </Button>
      )}
      <span role="status" className="ms-visually-hidden">
        {last?.role === 'assistant' && saidOf(last)}
      </span>
    </div>
  );
}

/** What a screen reader says at the end of an answer. Errors are announced where they are shown. */
function saidOf({ state, parts }: Message): string {
  if (state === 'streaming') return texts.streaming;
  return state === 'cancelled' ? texts.cancelled(parts.length === 0) : texts.answerEnded;
}
