/** What had the focus when a dialog opened, by the dialog. */
const openers = new WeakMap<Element, Element | null>();

/** What has the focus, also within shadow roots. */
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

/** Whether keys write text there. */
export function isEditable(element: Element | null): element is HTMLElement {
  if (element instanceof HTMLTextAreaElement) return true;
  if (element instanceof HTMLInputElement) return !notText.has(element.type);
  return element instanceof HTMLElement && element.isContentEditable;
}

/** Whether somebody is in the middle of a text there. */
export function isBeingWritten(element: Element | null): boolean {
  if (!isEditable(element)) return false;
  const text = 'value' in element ? element.value : element.textContent;
  return text !== '';
}

export function rememberOpener(dialog: Element, opener: Element | null): void {
  openers.set(dialog, opener);
}

/** Back to what had the focus; where that is in a dialog that is gone, to what had it before that one. */
export function returnFocus(opener: Element | null): void {
  let to = opener;
  while (to !== null && !to.isConnected) to = openers.get(to.closest('[role=dialog]') ?? to) ?? null;
  if (to instanceof HTMLElement) to.focus();
}

/** The safe answer, so that a key pressed too early does no harm. Says whether there is one. */
export function focusSafeAnswer(dialog: Element | null): boolean {
  const safe = dialog?.querySelector<HTMLElement>('[data-safe]');
  safe?.focus();
  return safe !== null && safe !== undefined;
}
