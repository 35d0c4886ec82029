import { useEffect, useRef, useState, type ReactElement } from 'react';
import type { AttachmentItem } from '../attachments/attachment-chip.tsx';
import { useLanguage } from '../messages/provider.tsx';
import { Icon } from '../parts/icons.tsx';
import { oneLine } from '../text/printable.ts';

/** The files that are kept, with their sizes. Each can be removed, after a question in its own line. */
export function ManagedAttachments({
  attachments,
  onRemove,
}: {
  attachments: readonly AttachmentItem[];
  onRemove?: (name: string) => void | Promise<void>;
}): ReactElement {
  const { t, format } = useLanguage();
  const [asked, setAsked] = useState<string>();
  const bytes = attachments.reduce((sum, { size }) => sum + size, 0);
  const remove = (name: string): void => {
    setAsked(undefined);
    void onRemove?.(name);
  };
  return (
    <div className="ms-managed">
      <p className="ms-message-title">{t('manageAttachments')}</p>
      {attachments.length === 0 ? (
        <div className="ms-empty">
          <p>{t('noAttachments')}</p>
          <p className="ms-note">{t('noAttachmentsHint')}</p>
        </div>
      ) : (
        <>
          <ul className="ms-managed-list">
            {attachments.map(({ name, size, path }) => (
              <li key={name}>
                {asked === name ? (
                  <RemoveQuestion name={name} onAnswer={(yes) => (yes ? remove(name) : setAsked(undefined))} />
                ) : (
                  <>
                    <Icon name="file" />
                    <span className="ms-managed-name" title={path}>
                      {oneLine(name)}
                    </span>
                    <span className="ms-note ms-number">{format.bytes(size)}</span>
                    {onRemove !== undefined && (
                      <button
                        type="button"
                        className="ms-icon-button"
                        aria-label={t('removeName', { name: oneLine(name) })}
                        onClick={() => setAsked(name)}
                      >
                        <Icon name="cross" />
                      </button>
                    )}
                  </>
                )}
              </li>
            ))}
          </ul>
          <p className="ms-note">{t('attachmentsTotal', { count: attachments.length, size: format.bytes(bytes) })}</p>
        </>
      )}
    </div>
  );
}

function RemoveQuestion({ name, onAnswer }: { name: string; onAnswer: (yes: boolean) => void }): ReactElement {
  const { t } = useLanguage();
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus(), []);
  return (
    <div
      className="ms-remove"
      role="group"
      aria-label={t('removeQuestion', { name: oneLine(name) })}
      onKeyDown={(event) => event.key === 'Escape' && onAnswer(false)}
    >
      <span>
        <span className="ms-wrap">{t('removeQuestion', { name: oneLine(name) })}</span>{' '}
        <span className="ms-note">{t('removeHint')}</span>
      </span>
      <span className="ms-actions">
        <button ref={keep} type="button" className="ms-button" onClick={() => onAnswer(false)}>
          {t('keep')}
        </button>
        <button type="button" className="ms-button ms-danger" onClick={() => onAnswer(true)}>
          {t('remove')}
        </button>
      </span>
    </div>
  );
}
