import { useCallback, useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';

/** Within a line of the end counts as at the end. */
const nearPx = 32;

/** Keeps the end of the list in sight as it grows, while the person is there; leaves them alone where they read. */
export function useBottom({
  scroller,
  content,
  count,
}: {
  scroller: RefObject<HTMLElement | null>;
  content: RefObject<HTMLElement | null>;
  count: number;
}): { isAtBottom: boolean; onScroll: () => void; onKeyDown: (event: KeyboardEvent) => void; jump: () => void } {
  const [isAtBottom, setAtBottom] = useState(true);
  const sticks = useRef(true);
  const lastTop = useRef(0);
  // A list that scrolls to an index by itself does so again while it measures, also when the person has moved away.
  const pin = useCallback(() => {
    const element = scroller.current;
    if (element !== null && sticks.current) element.scrollTop = element.scrollHeight;
  }, [scroller]);
  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    const toEnd = scrollHeight - scrollTop - clientHeight;
    // What grows beneath moves the end away; only a person moves up. A list that got shorter ends at its end.
    const movedUp = scrollTop < lastTop.current - 1;
    lastTop.current = scrollTop;
    if (toEnd <= 1) sticks.current = true;
    else if (movedUp) sticks.current = false;
    else if (toEnd <= nearPx) sticks.current = true;
    setAtBottom(toEnd <= nearPx || sticks.current);
  }, [scroller]);
  const jump = useCallback(() => {
    sticks.current = true;
    setAtBottom(true);
    pin();
  }, [pin]);
  // At once: messages that are measured on the way would end the browser's animation before it is there.
  const onKeyDown = useCallback(
    (event: KeyboardEvent) => {
      const element = scroller.current;
      if (event.target !== element || element === null) return;
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (event.key === 'End') jump();
      else if (event.key === 'Home') {
        sticks.current = false;
        element.scrollTop = 0;
      } else return;
      event.preventDefault();
    },
    [jump, scroller],
  );
  useLayoutEffect(pin, [count, pin]);
  useEffect(() => {
    const elements = [content.current, scroller.current].filter((element) => element !== null);
    const observer = new ResizeObserver(pin);
    for (const element of elements) observer.observe(element);
    return () => observer.disconnect();
  }, [content, pin, scroller]);
  return { isAtBottom, onScroll, onKeyDown, jump };
}
