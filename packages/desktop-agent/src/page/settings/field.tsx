import { useId, type ReactElement } from 'react';

/** A text with its label above it. */
export function Field({
  label,
  hint,
  value,
  onChange,
  placeholder = '',
  isLong = false,
  isSecret = false,
  autoFocus = false,
}: {
  label: string;
  hint?: string;
  value: string;
  onChange: (text: string) => void;
  placeholder?: string;
  isLong?: boolean;
  /** The text is shown as dots, and the browser does not store it. */
  isSecret?: boolean;
  autoFocus?: boolean;
}): ReactElement {
  const id = useId();
  const shared = {
    id,
    className: `ms-input${isLong ? ' ma-mono' : ''}`,
    dir: 'ltr',
    spellCheck: false,
    autoComplete: 'off',
    value,
    placeholder,
    ...(hint !== undefined && { 'aria-describedby': `${id}-hint` }),
  } as const;
  return (
    <div className="ma-field">
      <label className="ms-message-title" htmlFor={id}>
        {label}
      </label>
      {isLong ? (
        <textarea {...shared} rows={3} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <input
          {...shared}
          type={isSecret ? 'password' : 'text'}
          autoFocus={autoFocus}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      {hint !== undefined && (
        <p className="ms-note" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
