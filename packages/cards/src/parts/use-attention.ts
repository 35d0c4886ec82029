import { createContext, useContext, useEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { focusSafeAnswer, isEditable } from './focus.ts';

/** So long a question takes no answer after it has come, and after a key that was pressed for something else. In ms. */
const readingTime = 700;

/** Keys that write nothing. */
const silent = new Set(['Tab', 'Escape', 'Shift', 'Control', 'Alt', 'Meta', 'CapsLock']);

interface Attention {
  /** Whether an answer is taken. */
  isReady: boolean;
  onKeyDownCapture: (event: KeyboardEvent) => void;
  onKeyUpCapture: (event: KeyboardEvent) => void;
}

/**
 * Keeps keys that a person pressed for something else from answering a question that came meanwhile.
 *
 * @param interrupts false for a dialog that the person has opened: it takes answers at once
 * @param opener what had the focus when it came. A letter that is typed on an answer goes there.
 */
export function useAttention(
  dialog: RefObject<HTMLElement | null>,
  { interrupts, opener }: { interrupts: boolean; opener: Element | null },
): Attention {
  const [isReady, setReady] = useState(!interrupts);
  const isRefused = useRef(false);
  useEffect(() => {
    if (!interrupts) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = (): void => {
      setReady(false);
      clearTimeout(timer);
      timer = setTimeout(() => setReady(true), readingTime);
    };
    const onKey = (event: globalThis.KeyboardEvent): void => {
      const element = dialog.current;
      if (element === null || element.contains(event.target as Node)) return;
      if (!silent.has(event.key)) wait();
      else if (event.key === 'Tab' && focusSafeAnswer(element)) event.preventDefault();
    };
    wait();
    document.addEventListener('keydown', onKey, true);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('keydown', onKey, true);
    };
  }, [dialog, interrupts]);
  return {
    isReady,
    onKeyDownCapture(event) {
      if (!interrupts) return;
      const { key, ctrlKey, metaKey, altKey } = event;
      const isOnAnswer = event.target instanceof Element && event.target.closest('.ms-dialog-foot') !== null;
      if (!isOnAnswer) return;
      isRefused.current = (key === 'Enter' || key === ' ') && (!isReady || event.repeat);
      if (isRefused.current) event.preventDefault();
      // A browser writes the letter where the focus is after this.
      else if (key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey && isEditable(opener)) opener.focus();
    },
    onKeyUpCapture(event) {
      // Firefox presses a button when Space is let go.
      if (event.key === ' ' && isRefused.current) event.preventDefault();
    },
  };
}

const ReadyContext = createContext(true);
export const ReadyProvider = ReadyContext.Provider;

/** For the buttons that answer a question: until a person can have read it, they do nothing. */
export function useAnswering(): (answer: () => void) => object {
  const isReady = useContext(ReadyContext);
  // Not `disabled`, which could not be focused meanwhile.
  return (answer) => ({ type: 'button', 'aria-disabled': !isReady, onClick: () => isReady && answer() });
}
