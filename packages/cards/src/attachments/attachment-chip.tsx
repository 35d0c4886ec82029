import * as Tooltip from '@radix-ui/react-tooltip';
import type { ReactElement, ReactNode } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { Icon } from '../parts/icons.tsx';
import { oneLine } from '../text/printable.ts';

/** A file that is attached, or about to be. */
export interface AttachmentItem {
  name: string;
  /** The size in bytes. */
  size: number;
  mediaType?: string;
  /** The address of a picture of it, which the chip shows in place of an icon. */
  preview?: string;
  /** Its path on the disk, for the tooltip. */
  path?: string;
  /** How many bytes are stored so far, while it is being stored. */
  storedBytes?: number;
  /** Why it could not be attached. */
  problem?: string;
}

/** Properties of `AttachmentChip`. */
export interface AttachmentChipProps {
  attachment: AttachmentItem;
  /** Removes the attachment from the message. */
  onRemove?: () => void;
}

/** One attachment of a message. All chips have the same width. */
export function AttachmentChip({ attachment, onRemove }: AttachmentChipProps): ReactElement {
  const { t, format } = useLanguage();
  const { size, mediaType, path, storedBytes, problem, preview } = attachment;
  const name = oneLine(attachment.name);
  const isStoring = problem === undefined && storedBytes !== undefined && storedBytes < size;
  const part = size === 0 ? 1 : (storedBytes ?? 0) / size;
  const percent = format.percent(part);
  const label =
    problem === undefined
      ? t(isStoring ? 'storing' : 'stored', { name, size: format.bytes(size), percent })
      : t('attachmentFailed', { name });
  const where = problem ?? (path === undefined ? name : t('onDiskAt', { path: oneLine(path) }));
  return (
    <span className="ms ms-chip" data-failed={problem !== undefined || undefined}>
      <Tip text={where}>
        <span className="ms-chip-body" tabIndex={0} role="img" aria-label={label}>
          {preview !== undefined && problem === undefined ? (
            <img className="ms-chip-picture" src={preview} alt="" />
          ) : (
            <Icon name={problem === undefined ? (mediaType?.startsWith('image/') ? 'image' : 'file') : 'warning'} />
          )}
          <span className="ms-chip-name">{name}</span>
          <span className="ms-note">{isStoring ? percent : format.bytes(size)}</span>
        </span>
      </Tip>
      {onRemove !== undefined && (
        <button type="button" className="ms-icon-button" aria-label={t('removeName', { name })} onClick={onRemove}>
          <Icon name="cross" />
        </button>
      )}
      {isStoring && (
        <progress className="ms-chip-progress" max={1} value={part} aria-label={t('storing', { name, percent })} />
      )}
    </span>
  );
}

/** Properties of `AttachmentList`. */
export interface AttachmentListProps {
  attachments: readonly AttachmentItem[];
  onRemove?: (name: string) => void;
}

/** The attachments of a message, one chip each. */
export function AttachmentList({ attachments, onRemove }: AttachmentListProps): ReactElement {
  const { t } = useLanguage();
  return (
    <ul className="ms ms-chips" aria-label={t('attachmentsLabel')}>
      {attachments.map((attachment) => (
        <li key={attachment.name}>
          <AttachmentChip
            attachment={attachment}
            {...(onRemove !== undefined && { onRemove: () => onRemove(attachment.name) })}
          />
        </li>
      ))}
    </ul>
  );
}

/** Shows `text` beside the element that is pointed at or focused. */
function Tip({ text, children }: { text: ReactNode; children: ReactElement }): ReactElement {
  return (
    <Tooltip.Provider delayDuration={300}>
      <Tooltip.Root>
        <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
        <Tooltip.Portal>
          <Tooltip.Content className="ms ms-tooltip" sideOffset={4} collisionPadding={8}>
            {text}
          </Tooltip.Content>
        </Tooltip.Portal>
      </Tooltip.Root>
    </Tooltip.Provider>
  );
}
