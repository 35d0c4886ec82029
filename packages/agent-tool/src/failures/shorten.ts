/** At most `length` characters; what is left out is marked. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  // The cut may have split a surrogate pair.
  return `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

const maxListLength = 250;

/** As many items as fit into a line, and how many more there are. */
export function list(items: readonly string[]): string {
  let length = 0;
  const shown = items.filter((item) => (length += item.length + 2) <= maxListLength);
  const more = items.length - shown.length;
  return shown.join(', ') + (more > 0 ? `${shown.length > 0 ? ' and ' : ''}${more} more` : '');
}
