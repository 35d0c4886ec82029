/** Numbers that are the same at every run: mulberry32. */
export function randomOf(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** A whole number from 0 up to `below`, without it. */
  const int = (below) => Math.floor(next() * below);
  return {
    next,
    int,
    of: (list) => list[int(list.length)],
    /** More of the first than of the last. */
    skewed: (list) => list[Math.floor(next() ** 2 * list.length)],
    chance: (share) => next() < share,
  };
}
