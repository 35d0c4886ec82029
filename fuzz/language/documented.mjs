/**
 * The differences that docs/language.md lists, by their ids there: how a program shows that it meets one. A run that
 * warns of the difference needs no rule here.
 *
 * @type {Record<string, (source: string) => boolean>}
 */
const bySource = {};

/**
 * The id of the documented difference that the program meets.
 *
 * @param {string} source
 * @param {import('./judge.d.mts').WantedOutcome} _wanted
 * @param {{ warnings?: string[] }} got
 * @returns {string | undefined}
 */
export function documented(source, _wanted, { warnings = [] }) {
  return warnings[0] ?? Object.keys(bySource).find((id) => bySource[id](source));
}
