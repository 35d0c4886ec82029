/** More matches are counted as "more than", because marking all of them helps nobody. */
export const maxMatches = 10_000;

/** Where `query` occurs in `text`, ignoring case, in UTF-16 units; at most `maxMatches`. Empty for an empty query. */
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
