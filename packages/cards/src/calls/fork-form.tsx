import { useEffect, useId, useRef, useState, type ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { Choice } from '../parts/choice.tsx';
import { oneLine } from '../text/printable.ts';
import type { CallActions, ForkAnswer, ScriptCall } from './call.ts';

/** Changes the answer of a past call, and starts a run that continues from there. */
export function ForkForm({ call, onFork }: ForkProps): ReactElement {
  const { t } = useLanguage();
  const opener = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  if (isOpen) return <OtherAnswer call={call} onFork={onFork} onClose={() => setOpen(false)} />;
  return (
    <button ref={opener} type="button" className="ms-button ms-fork" onClick={() => setOpen(true)}>
      {t('forkOpen')}
    </button>
  );
}

interface ForkProps {
  call: ScriptCall;
  onFork: NonNullable<CallActions['onFork']>;
}

function OtherAnswer({ call, onFork, onClose }: ForkProps & { onClose: () => void }): ReactElement {
  const { t } = useLanguage();
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const [kind, setKind] = useState<'value' | 'error'>('value');
  const [text, setText] = useState(() => JSON.stringify(call.answer, undefined, 2) ?? '');
  const [problem, setProblem] = useState<string>();
  const [isSent, setSent] = useState(false);
  useEffect(() => area.current?.focus(), []);
  const fork = async (): Promise<void> => {
    const answer = answerOf(kind, text);
    if (answer === undefined) return setProblem(t('forkNotJson'));
    setSent(true);
    try {
      await onFork(call.id, answer);
      onClose();
    } catch (error) {
      setProblem(oneLine(error instanceof Error ? error.message : String(error)));
      setSent(false);
    }
  };
  return (
    <form
      className="ms-fork-form"
      onSubmit={(event) => {
        event.preventDefault();
        void fork();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <Choice
        label={t('forkKind')}
        options={[
          { value: 'value', label: t('forkValue') },
          { value: 'error', label: t('forkError') },
        ]}
        value={kind}
        onChange={setKind}
      />
      <label htmlFor={id}>{t(kind === 'value' ? 'forkValueLabel' : 'forkErrorLabel')}</label>
      <textarea
        ref={area}
        id={id}
        className="ms-input"
        dir="ltr"
        rows={5}
        spellCheck={false}
        value={text}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-note`}
        onChange={(event) => setText(event.target.value)}
      />
      <p id={`${id}-note`} className={problem === undefined ? 'ms-note' : 'ms-problem'}>
        {problem ?? t('forkNote')}
      </p>
      <div className="ms-dialog-actions">
        <button type="submit" className="ms-button ms-primary" disabled={isSent}>
          {t('fork')}
        </button>
        <button type="button" className="ms-button" onClick={onClose}>
          {t('keep')}
        </button>
      </div>
    </form>
  );
}

function answerOf(kind: 'value' | 'error', text: string): ForkAnswer | undefined {
  if (kind === 'error') return { error: text };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
