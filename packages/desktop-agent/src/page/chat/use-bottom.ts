import { useCallback, useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';

/** Within a line of the end counts as at the end. */
const nearPx = 32;
/** So long after a wheel, a finger or a key a list that moves is moved by the person. In ms. */
const personMs = 1_000;

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
  const lastHeights = useRef('');
  const hand = usePersonsHand(scroller);
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
    // What grows beneath moves the end away; only a person moves up. A list that got shorter ends at its end, and may have
    // grown again by now: then it is moved up, and by nobody.
    const heights = `${scrollHeight} ${clientHeight}`;
    const movedUp = scrollTop < lastTop.current - 1 && (heights === lastHeights.current || hand.isOn());
    lastTop.current = scrollTop;
    lastHeights.current = heights;
    if (toEnd <= 1) sticks.current = true;
    else if (movedUp) sticks.current = false;
    else if (toEnd <= nearPx) sticks.current = true;
    else pin();
    setAtBottom(toEnd <= nearPx || sticks.current);
  }, [hand, pin, scroller]);
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

/** Whether a person moves the list now, by whatever means. */
function usePersonsHand(scroller: RefObject<HTMLElement | null>): { isOn: () => boolean } {
  const [hand] = useState(() => {
    let [last, isHeld] = [-Infinity, false];
    const press = (): void => void (isHeld = true);
    const release = (): void => void ([last, isHeld] = [performance.now(), false]);
    const move = (): void => void (last = performance.now());
    const listen = (element: HTMLElement, signal: AbortSignal): void => {
      for (const name of ['wheel', 'touchmove', 'keydown']) {
        element.addEventListener(name, move, { passive: true, signal });
      }
      element.addEventListener('pointerdown', press, { signal });
      for (const name of ['pointerup', 'pointercancel']) addEventListener(name, release, { signal });
    };
    return { isOn: () => isHeld || performance.now() - last < personMs, listen };
  });
  useEffect(() => {
    const controller = new AbortController();
    if (scroller.current !== null) hand.listen(scroller.current, controller.signal);
    return () => controller.abort();
  }, [hand, scroller]);
  return hand;
}
