/**
 * The differences that docs/language.md lists, by their ids there: how a program shows that it meets one. A run that
 * warns of the difference needs no rule here.
 *
 * @type {Record<string, (source: string) => boolean>}
 */
const bySource = {
  'own-proto': (source) => /__proto__/.test(source),
};

/**
 * The id of the documented difference that the program meets.
 *
 * @param {string} source
 * @param {import('./judge.d.mts').WantedOutcome} wanted
 * @param {{ value: string, warnings?: string[] }} got
 * @returns {string | undefined}
 */
export function documented(source, wanted, got) {
  const warnings = got.warnings ?? [];
  if (warnings.includes('last-digit') && 'value' in wanted && isNearly(wanted.value, got.value)) return 'last-digit';
  return warnings.find((id) => id !== 'last-digit') ?? Object.keys(bySource).find((id) => bySource[id](source));
}

const numbers = /-?\d+(?:\.\d+)?(?:e[+-]\d+)?/g;

/** Whether two values are the same but for the last digits of numbers. */
function isNearly(one, other) {
  if (one.replace(numbers, '#') !== other.replace(numbers, '#')) return false;
  const others = other.match(numbers) ?? [];
  return (one.match(numbers) ?? []).every((text, at) => {
    const [a, b] = [Number(text), Number(others[at])];
    return a === b || Math.abs(a - b) <= 1e-13 * Math.max(Math.abs(a), Math.abs(b));
  });
}
