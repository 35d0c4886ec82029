import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import type { VirtualizerHandle } from 'virtua';

/** So close to the end counts as being there: a line. */
const nearPx = 32;

/** Keeps the end of the list in sight as it grows, while the person is there; leaves them alone where they read. */
export function useBottom({
  scroller,
  content,
  list,
  count,
}: {
  scroller: RefObject<HTMLElement | null>;
  content: RefObject<HTMLElement | null>;
  list: RefObject<VirtualizerHandle | null>;
  count: number;
}): { isAtBottom: boolean; onScroll: () => void; jump: () => void } {
  const [isAtBottom, setAtBottom] = useState(true);
  const sticks = useRef(true);
  const lastTop = useRef(0);
  const pin = useCallback(() => {
    const element = scroller.current;
    if (element !== null && sticks.current) element.scrollTop = element.scrollHeight;
  }, [scroller]);
  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    const isNear = scrollHeight - scrollTop - clientHeight <= nearPx;
    // What grows beneath moves the end away; only a person moves up.
    const movedUp = scrollTop < lastTop.current - 1;
    lastTop.current = scrollTop;
    if (isNear) sticks.current = true;
    else if (movedUp) sticks.current = false;
    setAtBottom(isNear || sticks.current);
  }, [scroller]);
  const jump = useCallback(() => {
    sticks.current = true;
    setAtBottom(true);
    list.current?.scrollToIndex(count - 1, { align: 'end' });
    pin();
  }, [count, list, pin]);
  useLayoutEffect(() => {
    if (sticks.current) list.current?.scrollToIndex(count - 1, { align: 'end' });
  }, [count, list]);
  useEffect(() => {
    const elements = [content.current, scroller.current].filter((element) => element !== null);
    const observer = new ResizeObserver(pin);
    for (const element of elements) observer.observe(element);
    return () => observer.disconnect();
  }, [content, pin, scroller]);
  return { isAtBottom, onScroll, jump };
}
