import type { ReactElement } from 'react';
import type { SizeAnswer, SizeSummary } from '@mustard-sandbox/agent-tool';
import { useLanguage } from '../messages/provider.tsx';
import { QuestionDialog } from '../parts/dialog.tsx';
import { Printed } from '../parts/printed.tsx';
import { useAnswering } from '../parts/use-attention.ts';
import { oneLine } from '../text/printable.ts';

/** Properties of `SizePolicyDialog`. */
export interface SizePolicyDialogProps {
  summary: SizeSummary;
  /** What the message is for, if there may be several: a project, a chat. */
  asker?: string | undefined;
  onAnswer: (answer: SizeAnswer) => void;
}

/** Asks whether to attach so much, in the same words as the terminal. Escape cancels. */
export function SizePolicyDialog({ summary, asker, onAnswer }: SizePolicyDialogProps): ReactElement {
  const { t, format } = useLanguage();
  const { totalBytes, thresholdBytes, truncateToBytes, sources } = summary;
  const [total, threshold] = format.bytesApart(totalBytes, thresholdBytes);
  const title = t('sizeTitle', { total, threshold });
  return (
    <QuestionDialog
      title={title}
      asker={asker}
      interrupts
      onEscape={() => onAnswer('cancel')}
      actions={<Answers truncateToBytes={truncateToBytes} onAnswer={onAnswer} />}
    >
      <ul className="ms-file-list" tabIndex={0} aria-label={t('attachmentsLabel')}>
        {sources.map(({ source, isPattern, files, bytes }, index) => (
          <li key={index}>
            <span className="ms-wrap">
              <Printed text={oneLine(source)} />
            </span>
            <span className="ms-note">
              {isPattern ? t('sizeFiles', { count: files, size: format.bytes(bytes) }) : format.bytes(bytes)}
            </span>
          </li>
        ))}
      </ul>
    </QuestionDialog>
  );
}

function Answers({
  truncateToBytes,
  onAnswer,
}: Pick<SizePolicyDialogProps, 'onAnswer'> & { truncateToBytes: number }): ReactElement {
  const { t, format } = useLanguage();
  const answering = useAnswering();
  const answers: [SizeAnswer, string, string, string][] = [
    ['attach', t('sizeAttach'), t('sizeAttachHint'), 'ms-button'],
    [
      'truncate',
      t('sizeTruncate'),
      t('sizeTruncateHint', { size: format.bytes(truncateToBytes) }),
      'ms-button ms-primary',
    ],
    ['cancel', t('cancel'), t('sizeCancelHint'), 'ms-button'],
  ];
  return (
    <div className="ms-answers">
      {answers.map(([answer, label, hint, className]) => (
        <div key={answer} className="ms-answer">
          <button
            className={className}
            aria-describedby={`ms-size-${answer}`}
            {...answering(() => onAnswer(answer))}
            {...(answer === 'cancel' && { 'data-safe': true })}
          >
            {label}
          </button>
          <span id={`ms-size-${answer}`} className="ms-note">
            {hint}
          </span>
        </div>
      ))}
    </div>
  );
}
