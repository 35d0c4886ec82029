import * as Dialog from '@radix-ui/react-dialog';
import { useRef, useState, type ReactElement, type ReactNode } from 'react';
import { oneLine } from '../text/printable.ts';

/** Properties of `QuestionDialog`. */
export interface QuestionDialogProps {
  title: string;
  description?: ReactNode;
  /** What the question is about, where there may be several: a project, a chat. One small line above the rest. */
  place?: string | undefined;
  /** A few words beside the title. */
  badge?: string | undefined;
  onEscape: () => void;
  /** Has the focus afterwards; default: what has it now. */
  returnTo?: Element | null;
  /** The element with `data-safe` gets the focus. */
  children: ReactNode;
}

/** A window over the page that has to be answered. Escape calls `onEscape`; a click beside it does nothing. */
export function QuestionDialog(props: QuestionDialogProps): ReactElement {
  const { title, description, place, badge, onEscape, returnTo, children } = props;
  const content = useRef<HTMLDivElement>(null);
  const [opener] = useState(() => returnTo ?? document.activeElement);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onEscape()}>
      <Dialog.Portal>
        <Dialog.Overlay className="ms ms-overlay" />
        <Dialog.Content
          ref={content}
          className="ms ms-dialog"
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            // Not away from another question that has taken the place of this one.
            if (opener instanceof HTMLElement && !document.activeElement?.closest('[role=dialog]')) opener.focus();
          }}
          onInteractOutside={(event) => event.preventDefault()}
          onOpenAutoFocus={(event) => {
            // The safe answer, so that a key pressed too early does no harm.
            const safe = content.current?.querySelector<HTMLElement>('[data-safe]');
            if (!safe) return;
            event.preventDefault();
            safe.focus();
          }}
          {...(description === undefined && { 'aria-describedby': undefined })}
        >
          <div className="ms-dialog-head">
            <Dialog.Title className="ms-dialog-title">{title}</Dialog.Title>
            {badge !== undefined && <span className="ms-note">{badge}</span>}
          </div>
          {place !== undefined && <p className="ms-note ms-wrap">{oneLine(place)}</p>}
          {description !== undefined && (
            <Dialog.Description asChild>
              <p className="ms-dialog-description" tabIndex={0} dir="auto">
                {description}
              </p>
            </Dialog.Description>
          )}
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
