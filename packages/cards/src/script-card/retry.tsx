import { useEffect, useId, useRef, useState, type FormEvent, type ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import type { ScriptCardActions } from './actions.ts';

/** Buttons that run the script again, or ask the model for another one with a word of guidance. */
export function Retry({ onRerun, onRetry }: Pick<ScriptCardActions, 'onRerun' | 'onRetry'>): ReactElement | null {
  const { t } = useLanguage();
  const [isWriting, setWriting] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  if (onRerun === undefined && onRetry === undefined) return null;
  if (isWriting && onRetry !== undefined) {
    const close = (): void => {
      setWriting(false);
      requestAnimationFrame(() => opener.current?.focus());
    };
    return <Guidance onSend={onRetry} onClose={close} />;
  }
  return (
    <div className="ms-actions">
      {onRerun !== undefined && (
        <button type="button" className="ms-button" onClick={() => onRerun()}>
          {t('rerun')}
        </button>
      )}
      {onRetry !== undefined && (
        <button ref={opener} type="button" className="ms-button ms-primary" onClick={() => setWriting(true)}>
          {t('retryWithGuidance')}
        </button>
      )}
    </div>
  );
}

function Guidance({ onSend, onClose }: { onSend: (guidance: string) => void; onClose: () => void }): ReactElement {
  const { t } = useLanguage();
  const id = useId();
  const [text, setText] = useState('');
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    if (text.trim() === '') return;
    onSend(text.trim());
    onClose();
  };
  return (
    <form className="ms-guidance" onSubmit={submit}>
      <label htmlFor={id}>{t('guidanceLabel')}</label>
      <textarea
        ref={area}
        id={id}
        className="ms-input"
        rows={2}
        value={text}
        aria-describedby={`${id}-hint`}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.stopPropagation();
            onClose();
          } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
        }}
      />
      <p id={`${id}-hint`} className="ms-note">
        {t('guidanceHint')}
      </p>
      <div className="ms-actions">
        <button type="button" className="ms-button" onClick={onClose}>
          {t('cancel')}
        </button>
        <button type="submit" className="ms-button ms-primary" disabled={text.trim() === ''}>
          {t('send')}
        </button>
      </div>
    </form>
  );
}
