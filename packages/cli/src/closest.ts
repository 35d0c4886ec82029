/** The one of `names` that `name` was probably meant to be; `undefined` when none is near. */
export function closest(name: string, names: string[]): string | undefined {
  const typed = name.toLowerCase().replace(/\.js$/, '');
  const containing = names.find((candidate) => typed.length > 2 && candidate.includes(typed));
  let best = containing;
  // If more than a third of it is wrong, it is another word.
  let least = typed.length / 3 + 1;
  for (const candidate of names) {
    const distance = editDistance(typed, candidate);
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

/** How many characters must be inserted, deleted or replaced (Levenshtein). */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
