import type { ReactElement } from 'react';
import { Icon } from './icons.tsx';
import { useCopy } from './use-copy.ts';

/** Properties of `CopyButton`. */
export interface CopyButtonProps {
  text: string;
  /** What it copies. */
  label: string;
}

/** A button that copies a text and says that it did. */
export function CopyButton({ text, label }: CopyButtonProps): ReactElement {
  const { copy, said, isCopied } = useCopy();
  return (
    <>
      <button type="button" className="ms-icon-button" aria-label={label} title={label} onClick={() => copy(text)}>
        <Icon name={isCopied ? 'check' : 'copy'} />
      </button>
      <span role="status" className="ms-visually-hidden">
        {said}
      </span>
    </>
  );
}
