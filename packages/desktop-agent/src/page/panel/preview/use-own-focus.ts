import { useEffect, useRef, useState, type RefObject } from 'react';

/** How long after a key the person counts as typing, in ms. */
const typingMs = 1_500;
/** How long a browser counts a key or a click in this page as user activation, in ms. */
const activationMs = 6_000;
/** If a page takes the focus twice within this time, in ms, it does so on purpose. */
const againMs = 10_000;

export interface OwnFocus {
  /** Whether the frame is hidden because its page took the focus more than once. Nothing else prevents that. */
  isHidden: boolean;
  show: () => void;
  /** Gives the focus to the frame. */
  goThere: () => void;
}

/**
 * Keeps the focus where the person put it. The page in the frame can take it at any time, and would get text that is meant
 * for a message or a key of a model. A person enters the frame by the pointer or by Tab.
 */
export function useOwnFocus(frame: RefObject<HTMLIFrameElement | null>): OwnFocus {
  const [isHidden, setHidden] = useState(false);
  /** What the person last did here. */
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
      // Without a key or a click here, the user activation came from a click in the frame.
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
      // The frame gets the focus only after this event.
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
