import { useLayoutEffect, useState, type RefObject } from 'react';

/** In which direction the text around an element runs. Primitives that handle arrow keys have to be told. */
export function useDirection(element: RefObject<HTMLElement | null>): 'ltr' | 'rtl' {
  const [direction, setDirection] = useState<'ltr' | 'rtl'>('ltr');
  useLayoutEffect(() => {
    const around = element.current?.parentElement;
    if (around) setDirection(getComputedStyle(around).direction === 'rtl' ? 'rtl' : 'ltr');
  }, [element]);
  return direction;
}
