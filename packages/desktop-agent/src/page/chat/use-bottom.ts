import { useCallback, useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';

/** A distance from the end, in pixels, that counts as at the end. It is about a line. */
const nearPx = 32;
/** How long after a wheel, a finger or a key a moving list counts as moved by the person, in ms. */
const personMs = 1_000;

/** Keeps the end of a growing list in sight while the person is at the end. Elsewhere it does not scroll. */
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
  // The list's own scrolling to an index would repeat while it measures, also after the person has moved away.
  const pin = useCallback(() => {
    const element = scroller.current;
    if (element !== null && sticks.current) element.scrollTop = element.scrollHeight;
  }, [scroller]);
  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    const toEnd = scrollHeight - scrollTop - clientHeight;
    // A growing list moves its end away, and only a person scrolls up. But when a list gets shorter and grows again, it can
    // have moved up although nobody scrolled.
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
  // It jumps at once, because measuring messages on the way would stop a smooth scroll before the end.
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

/** Whether a person is moving the list now by any means. */
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
