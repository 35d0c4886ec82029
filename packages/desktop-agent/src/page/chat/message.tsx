import { CopyButton, Printed, type RunStore } from '@mustard-sandbox/cards';
import { memo, type ReactElement } from 'react';
import type { Message } from '../../shared/contract/index.ts';
import { useUi } from '../app/ui.ts';
import { ContinuedIn } from '../going-on/continued.tsx';
import { IconButton } from '../parts/controls.tsx';
import { focusableWhenLong } from '../parts/long-text.tsx';
import { Time } from '../parts/time.tsx';
import { PlanCard } from '../plan/plan-card.tsx';
import type { Planned } from '../../shared/work-plan.ts';
import { ProposalLine } from '../proposal/proposal-line.tsx';
import { texts } from '../words/texts.ts';
import { Attached } from './attached.tsx';
import { MessageEnd } from './message-end.tsx';
import { PartView } from './part.tsx';
import { UsageNote } from './usage-note.tsx';

/** One message. It renders again only when it changes, however long the chat streams. */
export const MessageView = memo(function MessageView({
  message,
  runs,
  isLast,
}: {
  message: Message;
  runs: RunStore;
  isLast: boolean;
}): ReactElement {
  const ui = useUi();
  const { role, parts, attachments, state, createdAt } = message;
  const name = role === 'user' ? texts.you : texts.agent;
  const said = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  return (
    <article className="ma-column ma-message" data-role={role} aria-label={name} aria-busy={state === 'streaming'}>
      <header className="ma-message-head">
        <span className="ma-strong">{name}</span>
        <Time at={createdAt} />
        {message.usage !== null && <UsageNote usage={message.usage} />}
        <span className="ma-message-tools">
          {role === 'user' && (
            <IconButton icon="pencil" label={texts.goOnEdit} onClick={() => ui.set({ edited: message.id })} />
          )}
          {said !== '' && <CopyButton text={said} label={texts.copyMessage} />}
        </span>
      </header>
      {role === 'user' ? (
        <p className="ma-user-text" dir="auto" {...focusableWhenLong(said)}>
          <Printed text={said} />
        </p>
      ) : (
        parts.map((part, index) => (
          <PartView
            key={index}
            part={part}
            chatId={message.chatId}
            runs={runs}
            isStreaming={state === 'streaming' && index === parts.length - 1}
          />
        ))
      )}
      {attachments.length > 0 && <Attached chatId={message.chatId} attachments={attachments} />}
      {message.workPlan !== null && <PlanCard message={message as Planned} />}
      {message.proposal !== null && <ProposalLine message={message} proposal={message.proposal} />}
      {role === 'user' && <ContinuedIn messageId={message.id} />}
      <MessageEnd message={message} isLast={isLast} />
    </article>
  );
});
