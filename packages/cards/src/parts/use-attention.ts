import { createContext, useContext, useEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { focusSafeAnswer, isEditable } from './focus.ts';

/**
 * How long a question takes no answer after it has appeared, and after a key that was pressed for something else, in
 * ms.
 */
const readingTime = 700;

/** Keys that write nothing. */
const silent = new Set(['Tab', 'Escape', 'Shift', 'Control', 'Alt', 'Meta', 'CapsLock']);

/**
 * Restarts the reading time at each key that is pressed elsewhere.
 *
 * @returns whether the question can have been read
 */
function useReading(
  question: RefObject<HTMLElement | null>,
  { isOn, of, onTab }: { isOn: boolean; of?: unknown; onTab?: (event: globalThis.KeyboardEvent) => void },
): boolean {
  const [read, setRead] = useState<{ of: unknown }>();
  const tab = useRef(onTab);
  tab.current = onTab;
  useEffect(() => {
    if (!isOn) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = (): void => {
      setRead(undefined);
      clearTimeout(timer);
      timer = setTimeout(() => setRead({ of }), readingTime);
    };
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (question.current === null || question.current.contains(event.target as Node)) return;
      if (!silent.has(event.key)) wait();
      else if (event.key === 'Tab') tab.current?.(event);
    };
    wait();
    document.addEventListener('keydown', onKey, true);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('keydown', onKey, true);
    };
  }, [question, isOn, of]);
  return !isOn || (read !== undefined && read.of === of);
}

/**
 * The reading time of a question in the page that takes no focus.
 *
 * @param of what the question is about; a question about something else must be read again
 */
export function useReadingTime(question: RefObject<HTMLElement | null>, of: unknown): boolean {
  return useReading(question, { isOn: true, of });
}

interface Attention {
  /** Whether an answer is taken. */
  isReady: boolean;
  onKeyDownCapture: (event: KeyboardEvent) => void;
  onKeyUpCapture: (event: KeyboardEvent) => void;
}

/**
 * Keeps a key that a person pressed for something else from answering a question that appeared meanwhile.
 *
 * @param interrupts false for a dialog that the person has opened, which takes answers at once
 * @param opener the element that had the focus before; a letter that is typed on an answer goes there
 */
export function useAttention(
  dialog: RefObject<HTMLElement | null>,
  { interrupts, opener }: { interrupts: boolean; opener: Element | null },
): Attention {
  const isRefused = useRef(false);
  const isReady = useReading(dialog, {
    isOn: interrupts,
    onTab(event) {
      if (focusSafeAnswer(dialog.current)) event.preventDefault();
    },
  });
  return {
    isReady,
    onKeyDownCapture(event) {
      if (!interrupts) return;
      const { key, ctrlKey, metaKey, altKey } = event;
      const isOnAnswer = event.target instanceof Element && event.target.closest('.ms-dialog-foot') !== null;
      if (!isOnAnswer) return;
      isRefused.current = (key === 'Enter' || key === ' ') && (!isReady || event.repeat);
      if (isRefused.current) event.preventDefault();
      // The browser then writes the letter where the focus is.
      else if (key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey && isEditable(opener)) opener.focus();
    },
    onKeyUpCapture(event) {
      // Firefox presses a button when Space is released.
      if (event.key === ' ' && isRefused.current) event.preventDefault();
    },
  };
}

const ReadyContext = createContext(true);
export const ReadyProvider = ReadyContext.Provider;

/** Properties for buttons that answer a question. They do nothing until a person can have read it. */
export function useAnswering(): (answer: () => void) => object {
  const isReady = useContext(ReadyContext);
  // A button with `disabled` could not be focused meanwhile.
  return (answer) => ({ type: 'button', 'aria-disabled': !isReady, onClick: () => isReady && answer() });
}
