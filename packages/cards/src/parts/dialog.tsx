import * as Dialog from '@radix-ui/react-dialog';
import { useRef, useState, type FocusEvent, type ReactElement, type ReactNode } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { oneLine } from '../text/printable.ts';
import { activeElement, focusSafeAnswer, isBeingWritten, isEditable, rememberOpener, returnFocus } from './focus.ts';
import { ReadyProvider, useAttention } from './use-attention.ts';

/** Properties of `QuestionDialog`. */
export interface QuestionDialogProps {
  title: string;
  description?: ReactNode;
  /** What the question is for, if there may be several: a project, a chat. It is one small line above the rest. */
  asker?: string | undefined;
  /** A few words beside the title. */
  badge?: string | undefined;
  /**
   * The dialog appears by itself, while the person may be doing something else. It takes no answer until they can have
   * read it, and leaves the focus where they are writing.
   */
  interrupts?: boolean;
  onEscape: () => void;
  /** The answers. They are always visible, below the part that scrolls. The element with `data-safe` gets the focus. */
  actions?: ReactNode;
  children?: ReactNode;
}

/** A window over the page that must be answered. Escape calls `onEscape`; a click beside it does nothing. */
export function QuestionDialog(props: QuestionDialogProps): ReactElement {
  const { title, description, asker, badge, interrupts = false, onEscape, actions, children } = props;
  const { t } = useLanguage();
  const content = useRef<HTMLDivElement>(null);
  const [opener] = useState(activeElement);
  const [isAway, setAway] = useState(false);
  // It stands at the top, so that the text below stays visible, and keeps its place, because nothing should move that
  // the person did not start.
  const [isAside] = useState(() => interrupts && isBeingWritten(opener));
  const { isReady, ...keys } = useAttention(content, { interrupts, opener });
  const onBlur = ({ relatedTarget }: FocusEvent): void => {
    if (isEditable(relatedTarget) && content.current?.contains(relatedTarget) === false) setAway(true);
  };
  return (
    // A modal dialog would take the focus from the field that is being written in.
    <Dialog.Root open modal={!interrupts} onOpenChange={(open) => !open && onEscape()}>
      <Dialog.Portal>
        {interrupts ? (
          <div
            className="ms ms-overlay"
            data-away={isAway || undefined}
            onMouseDown={(event) => event.preventDefault()}
          />
        ) : (
          <Dialog.Overlay className="ms ms-overlay" />
        )}
        <Dialog.Content
          ref={content}
          className="ms ms-dialog"
          data-aside={isAside || undefined}
          {...(interrupts && { ...keys, onBlur, onFocus: () => setAway(false), 'aria-modal': !isAway })}
          onEscapeKeyDown={(event) => (!isReady || event.repeat) && event.preventDefault()}
          onInteractOutside={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            // The focus moves neither away from where a person has continued, nor away from a question that has
            // replaced this one.
            if (document.activeElement === null || document.activeElement === document.body) returnFocus(opener);
          }}
          onOpenAutoFocus={(event) => {
            if (content.current !== null) rememberOpener(content.current, opener);
            if (isAside) setAway(true);
            if (isAside || focusSafeAnswer(content.current)) event.preventDefault();
          }}
          {...(description === undefined && { 'aria-describedby': undefined })}
        >
          <div className="ms-dialog-head">
            <Dialog.Title className="ms-dialog-title">{title}</Dialog.Title>
            {badge !== undefined && <span className="ms-note">{badge}</span>}
          </div>
          <div className="ms-dialog-body">
            {asker !== undefined && <p className="ms-note ms-wrap">{oneLine(asker)}</p>}
            {description !== undefined && (
              <Dialog.Description asChild>
                <p className="ms-dialog-description" tabIndex={0} dir="auto">
                  {description}
                </p>
              </Dialog.Description>
            )}
            {children}
          </div>
          {actions !== undefined && (
            <div className="ms-dialog-foot">
              {isAway && (
                <p className="ms-note" role="status">
                  <span className="ms-visually-hidden">{title} </span>
                  {t('questionAway')}
                </p>
              )}
              <ReadyProvider value={isReady}>{actions}</ReadyProvider>
            </div>
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
