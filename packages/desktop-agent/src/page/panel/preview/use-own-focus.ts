import { useEffect, useRef, useState, type RefObject } from 'react';

/** So long after a key the person is still typing. */
const typingMs = 1_500;
/** So long a browser takes a key or a click in this page for a wish of the person, whatever it was. */
const activationMs = 6_000;
/** A page that takes the focus again so soon does it on purpose. */
const againMs = 10_000;

export interface OwnFocus {
  /** Whether the frame is hidden, because its page took the focus more than once: nothing else keeps it from that. */
  isHidden: boolean;
  show: () => void;
  /** Gives the focus to the frame. */
  goThere: () => void;
}

/**
 * Keeps the focus with the person: the page in the frame can call it to itself at any time, and would get what is meant for
 * a message or a key of a model. A person goes there by the pointer or by Tab.
 */
export function useOwnFocus(frame: RefObject<HTMLIFrameElement | null>): OwnFocus {
  const [isHidden, setHidden] = useState(false);
  /** What a person did last here. */
  const last = useRef({ key: '', keyAt: -Infinity, inputAt: -Infinity, takenAt: -Infinity });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const options = { capture: true, signal };
    let element = document.activeElement;
    let isOver = false;
    const mayTake = (): boolean => {
      const { key, keyAt, inputAt } = last.current;
      const now = performance.now();
      if (key === 'Tab') return true;
      if (!isOver || now - keyAt < typingMs) return false;
      // Without a key or a click here, what the browser takes for a wish was a click in the frame.
      return now - inputAt < activationMs || navigator.userActivation.isActive;
    };
    const box = frame.current?.parentElement;
    box?.addEventListener('pointerenter', () => (isOver = true), { signal });
    box?.addEventListener('pointerleave', () => (isOver = false), { signal });
    const onKey = ({ key }: KeyboardEvent): void => {
      const now = performance.now();
      last.current = { ...last.current, key, keyAt: now, inputAt: now };
    };
    addEventListener('keydown', onKey, options);
    const onPointerDown = (): void => {
      last.current = { ...last.current, key: '', inputAt: performance.now() };
    };
    addEventListener('pointerdown', onPointerDown, options);
    const onFocus = ({ target }: FocusEvent): void => {
      if (target !== frame.current) element = target as Element;
    };
    addEventListener('focusin', onFocus, options);
    const onBlur = (): void => {
      // The frame has the focus only after this event.
      setTimeout(() => {
        if (document.activeElement !== frame.current || mayTake()) return;
        const now = performance.now();
        if (now - last.current.takenAt < againMs) setHidden(true);
        last.current.takenAt = now;
        if (element instanceof HTMLElement) element.focus();
        else frame.current?.blur();
      });
    };
    addEventListener('blur', onBlur, options);
    return () => controller.abort();
  }, [frame]);
  const goThere = (): void => {
    last.current.key = 'Tab';
    frame.current?.focus();
  };
  const show = (): void => {
    last.current.takenAt = -Infinity;
    setHidden(false);
  };
  return { isHidden, show, goThere };
}
