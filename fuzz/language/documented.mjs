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
  const [warning] = got.warnings ?? [];
  if (warning !== undefined) return warning;
  if ('value' in wanted && showsMessage.test(source) && withoutTexts(wanted.value) === withoutTexts(got.value))
    return 'error-text';
  return Object.keys(bySource).find((id) => bySource[id](source));
}

/** Such a program has the message of an error in its value. */
const showsMessage = /\$\{e\}|\.message/;

function withoutTexts(value) {
  return value.replace(/"(?:[^"\\]|\\.)*"/g, '""');
}
