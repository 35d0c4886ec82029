/** For each dialog, the element that had the focus when it opened. */
const openers = new WeakMap<Element, Element | null>();

/** The element with the focus, even within shadow roots. */
export function activeElement(): Element | null {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}

const notText = new Set([
  'button',
  'checkbox',
  'color',
  'file',
  'hidden',
  'image',
  'radio',
  'range',
  'reset',
  'submit',
]);

/** Whether keys write text in this element. */
export function isEditable(element: Element | null): element is HTMLElement {
  if (element instanceof HTMLTextAreaElement) return true;
  if (element instanceof HTMLInputElement) return !notText.has(element.type);
  return element instanceof HTMLElement && element.isContentEditable;
}

/** Whether somebody is writing a text in this element. */
export function isBeingWritten(element: Element | null): boolean {
  if (!isEditable(element)) return false;
  const text = 'value' in element ? element.value : element.textContent;
  return text !== '';
}

export function rememberOpener(dialog: Element, opener: Element | null): void {
  openers.set(dialog, opener);
}

/**
 * Returns the focus to the element that had it. If that element was in a dialog that is gone, the focus goes to the
 * element before that dialog.
 */
export function returnFocus(opener: Element | null): void {
  let to = opener;
  while (to !== null && !to.isConnected) to = openers.get(to.closest('[role=dialog]') ?? to) ?? null;
  if (to instanceof HTMLElement) to.focus();
}

/**
 * Focuses the safe answer, so that a key that is pressed too early does no harm. Returns whether there is a safe
 * answer.
 */
export function focusSafeAnswer(dialog: Element | null): boolean {
  const safe = dialog?.querySelector<HTMLElement>('[data-safe]');
  safe?.focus();
  return safe !== null && safe !== undefined;
}
