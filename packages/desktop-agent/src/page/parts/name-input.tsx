import { useEffect, useRef, type ReactElement } from 'react';

/** A field in the place of a name. Enter takes what is typed, Escape and the loss of focus do not. */
export function NameInput({
  label,
  value,
  hint,
  onDone,
}: {
  label: string;
  value: string;
  hint?: string;
  /** `undefined`: it stays as it is. */
  onDone: (typed: string | undefined) => void;
}): ReactElement {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const { current } = input;
    if (current === null) return;
    current.focus();
    // The name of the file without its folders and its ending, which stay the same as a rule.
    const from = value.lastIndexOf('/') + 1;
    const dot = value.lastIndexOf('.');
    current.setSelectionRange(from, dot > from ? dot : value.length);
  }, [value]);
  return (
    <input
      ref={input}
      className="ms-input ma-name-input"
      aria-label={label}
      defaultValue={value}
      placeholder={hint}
      maxLength={4096}
      dir="ltr"
      spellCheck={false}
      autoComplete="off"
      onBlur={() => onDone(undefined)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
        // Only the field is closed, not what is around it.
        event.preventDefault();
        event.stopPropagation();
        const typed = event.currentTarget.value.trim();
        onDone(event.key === 'Enter' && typed !== '' && typed !== value ? typed : undefined);
      }}
    />
  );
}
