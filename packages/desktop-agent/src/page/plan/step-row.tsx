import { oneLine } from '@mustard-sandbox/cards';
import { useRef, type ReactElement } from 'react';
import { maxStepLength } from '../../shared/contract/index.ts';
import { IconButton } from '../parts/controls.tsx';
import { texts } from '../words/texts.ts';

interface StepRowProps {
  text: string;
  index: number;
  count: number;
  isEdited: boolean;
  onEdit: () => void;
  /** Called with the new text, or `undefined` when it stays. */
  onDone: (text: string | undefined) => void;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}

/** A step that can be changed, moved and removed, by pointer and keyboard. */
export function StepRow(props: StepRowProps): ReactElement {
  const { text, index, count, isEdited, onEdit, onDone, onMove, onRemove } = props;
  const number = index + 1;
  const shown = oneLine(text);
  if (isEdited) {
    return (
      <li className="ma-step">
        <span className="ma-number ma-quiet">{number}.</span>
        <StepInput text={text} label={texts.planStepText(number)} onDone={onDone} />
      </li>
    );
  }
  return (
    <li
      className="ma-step"
      onKeyDown={(event) => {
        if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
        event.preventDefault();
        onMove(event.key === 'ArrowUp' ? -1 : 1);
      }}
    >
      <span className="ma-number ma-quiet">{number}.</span>
      <button
        type="button"
        className="ma-step-text ma-wrap"
        data-step
        dir="auto"
        aria-label={texts.planStepEdit(number, shown)}
        onClick={onEdit}
      >
        {shown}
      </button>
      <span className="ma-step-tools">
        <IconButton icon="up" label={texts.planStepUp(number)} aria-disabled={index === 0} onClick={() => onMove(-1)} />
        <IconButton
          icon="down"
          label={texts.planStepDown(number)}
          aria-disabled={index === count - 1}
          onClick={() => onMove(1)}
        />
        <IconButton
          icon="trash"
          label={count === 1 ? texts.planLastStep : texts.planStepRemove(number)}
          aria-disabled={count === 1}
          onClick={onRemove}
        />
      </span>
    </li>
  );
}

/** A field for a step. Enter and the loss of focus accept what is typed. Escape discards it. */
export function StepInput({
  text,
  label,
  onDone,
}: {
  text: string;
  label: string;
  onDone: (text: string | undefined) => void;
}): ReactElement {
  const isOver = useRef(false);
  const end = (typed: string | undefined): void => {
    if (isOver.current) return;
    isOver.current = true;
    const next = typed?.replaceAll(/\s+/g, ' ').trim();
    onDone(next === '' || next === text ? undefined : next);
  };
  return (
    <textarea
      className="ms-input ma-step-input"
      aria-label={label}
      dir="auto"
      rows={2}
      autoFocus
      maxLength={maxStepLength}
      defaultValue={text}
      onBlur={(event) => end(event.target.value)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
        // Escape closes only the field, not what is around it.
        event.preventDefault();
        event.stopPropagation();
        end(event.key === 'Enter' ? event.currentTarget.value : undefined);
      }}
    />
  );
}
