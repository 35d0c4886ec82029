/**
 * The same program with a `return` at its end; `undefined` where that is not plain to see, or where it may wait, which
 * at the top is not as in a function.
 *
 * @param {string} source
 */
export function returning(source) {
  if (/\b(?:await|async|Promise|return;)\b/.test(source)) return undefined;
  const start = source.lastIndexOf('\n') + 1;
  const last = source.slice(start);
  return last === 'out;' || /^\(.*\);$/.test(last) ? `${source.slice(0, start)}return ${last}` : undefined;
}
