import { useId, type ReactElement, type ReactNode } from 'react';
import type { Settings } from '../../shared/contract/index.ts';
import { useAgent } from '../state/use-agent.ts';

/** One setting: its name and description, beside its control. */
export function Row({
  label,
  hint,
  children,
}: {
  label: string;
  hint?: string;
  /** Gets the ids of the name and the description. */
  children: (ids: { labelledBy: string; describedBy: string | undefined }) => ReactNode;
}): ReactElement {
  const id = useId();
  return (
    <div className="ms-setting">
      <div>
        <p className="ms-message-title" id={`${id}-label`}>
          {label}
        </p>
        {hint !== undefined && (
          <p className="ms-note" id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
      {children({ labelledBy: `${id}-label`, describedBy: hint === undefined ? undefined : `${id}-hint` })}
    </div>
  );
}

/** A setting that is on or off. */
export function SwitchRow({
  label,
  hint,
  checked,
  disabled = false,
  onChange,
}: {
  label: string;
  hint: string;
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
}): ReactElement {
  return (
    <Row label={label} hint={hint}>
      {({ labelledBy, describedBy }) => (
        <input
          type="checkbox"
          role="switch"
          className="ms-switch"
          aria-labelledby={labelledBy}
          aria-describedby={describedBy}
          checked={checked}
          disabled={disabled}
          onChange={(event) => onChange(event.target.checked)}
        />
      )}
    </Row>
  );
}

/** Saves a setting. If that fails, the person is told, and the setting is as before. */
export function useChange(): (change: Partial<Settings>) => void {
  const agent = useAgent();
  return (change) => void agent.attempt(() => agent.updateSettings(change));
}
