import { oneLine, QuestionDialog } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import type { Message } from '../../shared/contract/index.ts';
import { useUi, useUiState } from '../app/ui.ts';
import { Button, Failure, Skeleton } from '../parts/controls.tsx';
import { problemOf } from '../state/problem.ts';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { useAsked } from '../state/use-asked.ts';
import { texts } from '../words/texts.ts';
import { WayBackChoice } from './way-back.tsx';

/** Edits a message of the person and goes on from there. It says what will happen before anything does. */
export function EditDialog(): ReactElement | null {
  const id = useUiState(({ edited }) => edited);
  const message = useAgentState(({ open }) => open?.messages.find((one) => one.id === id));
  return message === undefined ? null : <Editing key={message.id} message={message} />;
}

function Editing({ message }: { message: Message }): ReactElement {
  const agent = useAgent();
  const ui = useUi();
  const ids = { chatId: message.chatId, messageId: message.id };
  const asked = useAsked(() => agent.call('read-checkpoint', ids), [agent, message.id]);
  const isStreaming = useAgentState(({ open }) => open?.chat.streaming ?? false);
  const said = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  const [text, setText] = useState(said);
  const [left, setLeft] = useState<readonly string[]>([]);
  const [goesBack, setGoesBack] = useState(false);
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const close = (): void => ui.set({ edited: undefined });
  const { value } = asked;
  const wayBack = value?.wayBack ?? null;
  const attachments = message.attachments.map(({ name }) => name).filter((name) => !left.includes(name));
  const begin = async (): Promise<void> => {
    setSending(true);
    setFailure(undefined);
    const back = goesBack && wayBack !== null ? { commit: wayBack.commit, seen: wayBack.seen } : null;
    try {
      const { chat, undo } = await agent.call('go-on-from', { ...ids, text, attachments, back });
      close();
      await agent.openChat(chat.id);
      if (undo === null) return;
      const { appId } = chat;
      const takeBack = (): void => void agent.attempt(() => agent.call('undo-version', { appId, commit: undo }));
      const action = { label: texts.undo, run: takeBack };
      agent.toast({ kind: 'info', text: texts.filesWentBack, until: Date.now() + undoMs, action });
    } catch (error) {
      setFailure(problemOf(error).message);
      asked.again();
      setSending(false);
    }
  };
  const isEmpty = text.trim() === '' && attachments.length === 0;
  const { whyNotSend } = texts;
  const whyNot = isSending
    ? whyNotSend.sending
    : isStreaming
      ? whyNotSend.answering
      : isEmpty
        ? whyNotSend.empty
        : value === undefined
          ? texts.loading
          : undefined;
  const actions = (
    <div className="ms-dialog-actions">
      <Button data-safe onClick={close}>
        {texts.cancel}
      </Button>
      <span className="ms-spacer" />
      <Button kind="primary" icon="send" whyNot={whyNot} onClick={() => void begin()}>
        {goesBack && wayBack !== null ? texts.goOnAndBack : texts.goOnFrom}
      </Button>
    </div>
  );
  return (
    <QuestionDialog title={texts.goOnTitle} onEscape={close} actions={actions}>
      <div className="ma-going-on">
        <textarea
          className="ms-input ma-going-on-text"
          aria-label={texts.goOnText}
          dir="auto"
          rows={4}
          maxLength={1_000_000}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {message.attachments.length > 0 && (
          <fieldset className="ma-going-on-files">
            <legend className="ma-quiet">{texts.goOnFiles}</legend>
            {message.attachments.map(({ name }) => (
              <label key={name} className="ma-check-row">
                <input
                  type="checkbox"
                  checked={!left.includes(name)}
                  onChange={(event) =>
                    setLeft(event.target.checked ? left.filter((one) => one !== name) : [...left, name])
                  }
                />
                <span className="ma-wrap" dir="auto">
                  {oneLine(name)}
                </span>
              </label>
            ))}
          </fieldset>
        )}
        {failure !== undefined && <Failure title={failure} retry={texts.retry} />}
        {asked.problem !== undefined && value === undefined && (
          <Failure title={asked.problem.message} retry={texts.retry} onRetry={asked.again} />
        )}
        {value === undefined ? (
          asked.isAsking && <Skeleton lines={3} label={texts.loading} />
        ) : (
          <>
            <p className="ma-wrap">{texts.goOnChat(value.before)}</p>
            <WayBackChoice wayBack={wayBack} why={value.why} goesBack={goesBack} onChoose={setGoesBack} />
          </>
        )}
      </div>
    </QuestionDialog>
  );
}

const undoMs = 30_000;
