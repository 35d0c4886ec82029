/**
 * The same program with a `return` at its end; `undefined` where that is not plain to see.
 *
 * @param {string} source
 */
export function returning(source) {
  if (/\breturn;/.test(source)) return undefined;
  const start = source.lastIndexOf('\n') + 1;
  const last = source.slice(start);
  return last === 'out;' || /^\(.*\);$/.test(last) ? `${source.slice(0, start)}return ${last}` : undefined;
}
