/** For a text in a box that has a greatest height: what may scroll can be focused, so that the keyboard scrolls it. */
export function focusableWhenLong(text: string): { tabIndex?: 0 } {
  return text.length > 600 || text.split('\n', 16).length > 15 ? { tabIndex: 0 } : {};
}
