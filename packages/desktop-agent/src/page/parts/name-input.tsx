import { useEffect, useRef, type ReactElement } from 'react';

/** A field in place of a name. Enter accepts what is typed. Escape and the loss of focus discard it. */
export function NameInput({
  label,
  value,
  hint,
  onDone,
}: {
  label: string;
  value: string;
  hint?: string;
  /** Called with the typed name, or `undefined` when the name stays. */
  onDone: (typed: string | undefined) => void;
}): ReactElement {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const { current } = input;
    if (current === null) return;
    current.focus();
    // Selects the file's name without folders and extension, which usually stay the same.
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
        // Escape closes only the field, not what is around it.
        event.preventDefault();
        event.stopPropagation();
        const typed = event.currentTarget.value.trim();
        onDone(event.key === 'Enter' && typed !== '' && typed !== value ? typed : undefined);
      }}
    />
  );
}
