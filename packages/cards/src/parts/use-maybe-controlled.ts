import { useState } from 'react';

/** A state that the owner may hold itself: by `value` and `onChange`, or not at all. */
export function useMaybeControlled<T>(
  value: T | undefined,
  initial: T,
  onChange: ((value: T) => void) | undefined,
): [T, (value: T) => void] {
  const [own, setOwn] = useState(initial);
  return [
    value ?? own,
    (next) => {
      setOwn(next);
      onChange?.(next);
    },
  ];
}
