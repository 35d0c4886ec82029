// What is in a text, by the definition and with all of it in memory.

/** The lines of a text, none with its end; behind the last end there is no line. */
export function linesOf(text) {
  const lines = text.split('\n');
  const last = lines.pop();
  const ended = lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  return last === '' ? ended : [...ended, last];
}

/** Each match with the number of its line. Without the flag `g` a line has one at most. */
export function byLine(lines, pattern) {
  const { source, flags } =
    typeof pattern === 'string' ? { source: pattern.replaceAll(/[.*+?^$()[\]{}|\\]/g, '\\$&'), flags: '' } : pattern;
  const each = new RegExp(source, `${flags.replace('g', '')}g`);
  return lines.flatMap((line, index) => {
    const matches = [...line.matchAll(each)];
    return (flags.includes('g') ? matches : matches.slice(0, 1)).map((match) => ({ line: index + 1, match }));
  });
}

/** The JSON Pointers of all that is in a value. */
export function placesIn(value, pointer = '') {
  if (typeof value !== 'object' || value === null) return [pointer];
  const below = Object.keys(value).flatMap((key) =>
    placesIn(value[key], `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
  return [pointer, ...below];
}

/** What a JSON Pointer leads to. */
export function at(value, pointer) {
  const keys = pointer.split('/').slice(1);
  return keys.reduce((inner, key) => inner[key.replaceAll('~1', '/').replaceAll('~0', '~')], value);
}

/** Rows of a table, by the names of its first row. */
export function rowsOf([names, ...rows]) {
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])));
}
