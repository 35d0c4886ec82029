import { useState, type ReactElement } from 'react';

interface NumberInputProps {
  value: number;
  min: number;
  max: number;
  labelledBy: string;
  describedBy?: string | undefined;
  className?: string;
  onKeep: (value: number) => void;
}

/** A whole number that is kept with Enter and when the field is left. Anything else goes back to what it was. */
export function NumberInput(props: NumberInputProps): ReactElement {
  const { value, min, max, labelledBy, describedBy, className = '', onKeep } = props;
  // What is typed belongs to the value that it changes: another value, as of another window, is shown at once.
  const [typed, setTyped] = useState<{ text: string; of: number }>();
  const text = typed?.of === value ? typed.text : `${value}`;
  const keep = (): void => {
    const number = Number(text);
    const isGood = text.trim() !== '' && Number.isInteger(number) && number >= min && number <= max;
    setTyped(undefined);
    if (isGood && number !== value) onKeep(number);
  };
  return (
    <input
      inputMode="numeric"
      className={`ms-input ${className}`}
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      value={text}
      onChange={(event) => setTyped({ text: event.target.value, of: value })}
      onBlur={keep}
      onKeyDown={(event) => event.key === 'Enter' && keep()}
    />
  );
}
