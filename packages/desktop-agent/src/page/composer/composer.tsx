import { AttachmentList } from '@mustard-sandbox/cards';
import { useLayoutEffect, useRef, type ReactElement } from 'react';
import { Button, IconButton } from '../parts/controls.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { attachFiles, detachFile } from './attach.ts';
import { AttachTip } from './attach-tip.tsx';
import { ContextMeter } from './context-meter.tsx';
import { draftOf, isEmpty, moveDraft, useDraft } from './draft.ts';
import { useDrop } from './use-drop.ts';
import { MessageInput } from './message-input.tsx';
import { ModePicker, ModelPicker } from './pickers.tsx';
import { PlanStrip } from '../plan/plan-strip.tsx';
import { Queue } from './queue.tsx';
import { sendDraft, whyNotSend } from './send.ts';

/** The key of the draft when there is no chat. */
const noChat = 'none';

/** The composer: the box for the next message, with its files, the mode and the model. */
export function Composer(): ReactElement {
  const agent = useAgent();
  const chatId = useAgentState((state) => state.chatId) ?? noChat;
  const mode = useAgentState(({ open }) => open?.chat.mode ?? 'agent');
  const isStreaming = useAgentState(({ open }) => open?.chat.streaming ?? false);
  const draft = useDraft(chatId);
  const whyNot = useAgentState((state) => whyNotSend(draft, state));
  const hasDraft = draft.text !== '' || draft.files.length > 0;
  const picker = useRef<HTMLInputElement>(null);
  /** Works with the chat of the draft, or with a new one if there is none. */
  const withChat = async (work: (chatId: string) => void | Promise<void>): Promise<void> => {
    const chat = await agent.someChat();
    if (chat === undefined) return;
    if (chatId === noChat) moveDraft(noChat, chat.id);
    await work(chat.id);
  };
  const attach = (files: readonly File[]): void => {
    if (files.length > 0) void withChat((id) => attachFiles(agent, id, files));
  };
  const isDropping = useDrop(attach);
  // A draft from before the page had a chat goes to the chat that it then shows.
  useLayoutEffect(() => {
    if (chatId !== noChat && isEmpty(chatId) && !isEmpty(noChat)) moveDraft(noChat, chatId);
  }, [chatId]);
  const send = (): void => {
    if (whyNot === undefined) void withChat((id) => sendDraft(agent, id));
  };
  const stop = (): void => void agent.attempt(() => agent.call('chat:cancel', { chatId }));
  return (
    <div className="ma-composer-frame">
      <form
        className="ma-composer ma-column"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <PlanStrip />
        <Queue chatId={chatId} />
        {draft.files.length > 0 && <AttachTip mode={mode} />}
        <div className="ma-box" data-dropping={isDropping || undefined}>
          {isDropping && <p className="ma-drop">{texts.dropHere}</p>}
          {draft.files.length > 0 && (
            <AttachmentList attachments={draft.files} onRemove={(name) => detachFile(agent, chatId, name)} />
          )}
          <MessageInput
            text={draft.text}
            placeholder={texts.placeholder[mode]}
            withChat={withChat}
            onText={(text) => draftOf(chatId).set({ text })}
            onFiles={attach}
            onSend={send}
          />
          <div className="ma-box-foot">
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              aria-label={texts.attach}
              onChange={(event) => {
                attach([...(event.target.files ?? [])]);
                // This lets the person pick the same file again.
                event.target.value = '';
              }}
            />
            <IconButton icon="clip" label={texts.attach} onClick={() => picker.current?.click()} />
            <ModePicker withChat={withChat} />
            <ModelPicker withChat={withChat} />
            <span className="ms-spacer" />
            {isStreaming && (
              <Button icon="stop" className="ma-send" onClick={stop}>
                {texts.stop}
              </Button>
            )}
            {(!isStreaming || hasDraft) && (
              <Button type="submit" kind="primary" icon="send" className="ma-send" whyNot={whyNot}>
                {isStreaming ? texts.queueAdd : texts.send}
              </Button>
            )}
          </div>
        </div>
        <div className="ma-quiet ma-composer-note">
          <p role="status">{hasDraft && whyNot !== undefined ? whyNot : isStreaming ? texts.hintQueue : texts.hint}</p>
          <ContextMeter />
        </div>
      </form>
    </div>
  );
}
