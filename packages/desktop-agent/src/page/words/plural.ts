const rules = new Intl.PluralRules('en');
const numbers = new Intl.NumberFormat('en');

/** `1 file`, `1,234 files`. */
export function counted(count: number, one: string, other = `${one}s`): string {
  return `${numbers.format(count)} ${rules.select(count) === 'one' ? one : other}`;
}
