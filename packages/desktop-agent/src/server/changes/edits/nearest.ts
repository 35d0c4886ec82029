/** The most lines of a hunk, and places of each, that are compared to guess where the hunk was meant to be. */
const maxProbed = 40;
const maxPlaces = 50;
const maxShown = 120;

/**
 * Explains why a hunk has no place, with the place that has most of its lines, so that the model sees what it misread.
 *
 * @param keys the lines of the file in the form of the last comparison, without white space that may differ
 */
export function nearestWords(keys: readonly string[], lines: readonly string[], before: readonly string[]): string {
  const start = nearestPlace(keys, before);
  const first = quoted(before.find((line) => line.trim() !== '') ?? '');
  const advice = 'Read the file, and send this with its lines as they are.';
  if (start === undefined) return `the file has no lines like ${first}. ${advice}`;
  const other = before.findIndex((line, index) => keyOf(line) !== keys[start + index]);
  const has = start + other < lines.length ? `has ${quoted(lines[start + other] ?? '')}` : 'has ended';
  return `its lines are not in the file. Nearest is line ${start + 1}: there, line ${start + other + 1} of the file ${has}, and this has ${quoted(before[other] ?? '')}. ${advice}`;
}

/** The start at which most lines of a hunk would be in their places. */
function nearestPlace(keys: readonly string[], before: readonly string[]): number | undefined {
  const probed = before.flatMap((line, index) => (line.trim() === '' ? [] : [{ key: keyOf(line), index }]));
  const wanted = new Map(probed.slice(0, maxProbed).map(({ key, index }) => [key, index]));
  const votes = new Map<number, number>();
  const seen = new Map<string, number>();
  for (const [at, key] of keys.entries()) {
    const index = wanted.get(key);
    if (index === undefined || index > at) continue;
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    if (count <= maxPlaces) votes.set(at - index, (votes.get(at - index) ?? 0) + 1);
  }
  const [best] = [...votes].sort(([, a], [, b]) => b - a);
  return best?.[0];
}

function keyOf(line: string): string {
  return line.trim().replaceAll(/\s+/g, ' ');
}

function quoted(line: string): string {
  const text = line.trim();
  return JSON.stringify(text.length > maxShown ? `${text.slice(0, maxShown)}…` : text);
}
