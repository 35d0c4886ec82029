import { useId, type ReactElement } from 'react';
import { Button, IconButton } from '../parts/controls.tsx';
import { texts } from '../words/texts.ts';

/** A variable or a header. `isKept` says that a value is stored, which stays if none is typed. */
export interface Secret {
  key: number;
  name: string;
  value: string;
  isKept: boolean;
}

/** Names with values. The values go to the server and never come back. */
export function SecretRows({
  label,
  hint = texts.serverSecretsHint,
  secrets,
  onChange,
}: {
  label: string;
  hint?: string;
  secrets: readonly Secret[];
  onChange: (secrets: readonly Secret[]) => void;
}): ReactElement {
  const id = useId();
  const change = (key: number, part: Partial<Secret>): void =>
    onChange(secrets.map((one) => (one.key === key ? { ...one, ...part } : one)));
  const next = 1 + Math.max(-1, ...secrets.map(({ key }) => key));
  return (
    <div className="ma-field" role="group" aria-labelledby={`${id}-label`} aria-describedby={`${id}-hint`}>
      <p className="ms-message-title" id={`${id}-label`}>
        {label}
      </p>
      {secrets.map(({ key, name, value, isKept }) => (
        <div key={key} className="ma-secret">
          <input
            className="ms-input ma-mono"
            dir="ltr"
            aria-label={texts.serverSecretName}
            placeholder={texts.serverSecretName}
            spellCheck={false}
            autoComplete="off"
            value={name}
            onChange={(event) => change(key, { name: event.target.value, isKept: false })}
          />
          <input
            type="password"
            className="ms-input"
            aria-label={texts.serverSecretValue(name)}
            placeholder={isKept ? texts.serverSecretKept : texts.serverSecretValue('')}
            autoComplete="off"
            value={value}
            onChange={(event) => change(key, { value: event.target.value })}
          />
          <IconButton
            icon="cross"
            label={texts.serverSecretRemove(name)}
            onClick={() => onChange(secrets.filter((one) => one.key !== key))}
          />
        </div>
      ))}
      <div className="ma-actions">
        <Button icon="plus" onClick={() => onChange([...secrets, { key: next, name: '', value: '', isKept: false }])}>
          {texts.serverSecretAdd}
        </Button>
      </div>
      <p className="ms-note" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  );
}

/** The values by name. Empty lines are left out. A value that was not typed again stays. */
export function valuesOf(secrets: readonly Secret[]): Record<string, string | null> {
  const named = secrets.filter(({ name, value }) => name.trim() !== '' || value !== '');
  return Object.fromEntries(
    named.map(({ name, value, isKept }) => [name.trim(), value === '' && isKept ? null : value]),
  );
}
