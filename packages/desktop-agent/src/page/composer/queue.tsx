import { oneLine } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import type { QueuedMessage } from '../../shared/contract/index.ts';
import { Button, IconButton } from '../parts/controls.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

const none: readonly QueuedMessage[] = [];

/** The messages that wait for the end of the answer. Each can be changed, removed or sent at once. */
export function Queue({ chatId }: { chatId: string }): ReactElement | null {
  const queue = useAgentState(({ open }) => open?.queue ?? none);
  const isStreaming = useAgentState(({ open }) => open?.chat.streaming ?? false);
  if (queue.length === 0) return null;
  return (
    <section className="ma-queue" aria-label={texts.queue}>
      <p className="ma-quiet">{isStreaming ? texts.queueWaits(queue.length) : texts.queuePaused(queue.length)}</p>
      <ol>
        {queue.map((message) => (
          <Waiting key={message.id} message={message} chatId={chatId} />
        ))}
      </ol>
    </section>
  );
}

function Waiting({ message, chatId }: { message: QueuedMessage; chatId: string }): ReactElement {
  const agent = useAgent();
  const [draft, setDraft] = useState<string>();
  const { id, text, uploads } = message;
  const shown = oneLine(text) || texts.queuedFiles(uploads.length);
  const save = async (): Promise<void> => {
    if (draft === undefined || draft.trim() === '') return;
    if (draft === text || (await agent.attempt(() => agent.call('edit-queued', { chatId, id, text: draft })))) {
      setDraft(undefined);
    }
  };
  const remove = async (): Promise<void> => {
    const again = (): Promise<unknown> =>
      agent.call('queue-message', { chatId, text, uploads: uploads.map((upload) => upload.id) });
    if (!(await agent.attempt(() => agent.call('remove-queued', { chatId, id })))) return;
    agent.toast({
      kind: 'info',
      text: texts.queuedRemoved,
      until: Date.now() + undoMs,
      action: { label: texts.undo, run: () => void agent.attempt(again) },
    });
  };
  if (draft !== undefined) {
    return (
      <li className="ma-queued">
        <textarea
          className="ms-input"
          aria-label={texts.queuedText}
          dir="auto"
          rows={2}
          autoFocus
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setDraft(undefined);
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void save();
          }}
        />
        <Button onClick={() => void save()}>{texts.serverSave}</Button>
        <Button onClick={() => setDraft(undefined)}>{texts.cancel}</Button>
      </li>
    );
  }
  return (
    <li className="ma-queued">
      <span className="ma-cut" dir="auto" title={shown}>
        {shown}
      </span>
      {text !== '' && uploads.length > 0 && <span className="ma-quiet">{texts.queuedFiles(uploads.length)}</span>}
      <Button
        icon="send"
        aria-label={texts.queuedSendNow(shown)}
        onClick={() => void agent.attempt(() => agent.call('send-queued', { chatId, id }))}
      >
        {texts.sendNow}
      </Button>
      <IconButton icon="pencil" label={texts.queuedEdit(shown)} onClick={() => setDraft(text)} />
      <IconButton icon="trash" label={texts.queuedRemove(shown)} onClick={() => void remove()} />
    </li>
  );
}

/** How long a removal can be undone, in ms. It is the same for a deleted chat. */
const undoMs = 30_000;
