/** More are counted as "more than": marking them all helps nobody. */
export const maxMatches = 10_000;

/** Where `query` begins in `text`, without regard to case, in UTF-16 units; at most `maxMatches`. Empty for an empty query. */
export function findAll(text: string, query: string): number[] {
  if (query === '') return [];
  const pattern = new RegExp(query.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'), 'giu');
  const found: number[] = [];
  for (const { index } of text.matchAll(pattern)) {
    found.push(index);
    if (found.length === maxMatches) break;
  }
  return found;
}
