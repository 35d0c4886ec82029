import { useId, type ReactElement } from 'react';

/** Properties of `Choice`. */
export interface ChoiceProps<T extends string> {
  /** What the choice is about, for screen readers. */
  label: string;
  options: readonly { value: T; label: string }[];
  value: T;
  onChange: (value: T) => void;
}

/** A choice of one among a few, side by side. They are radio buttons, so the arrow keys choose. */
export function Choice<T extends string>({ label, options, value, onChange }: ChoiceProps<T>): ReactElement {
  const name = useId();
  return (
    <fieldset className="ms-choice">
      <legend className="ms-visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className="ms-choice-option">
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
