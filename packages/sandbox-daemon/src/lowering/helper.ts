/** All names that lowering adds to a program begin with this. */
export const prefix = '__ms_';

/** Code in the script language that goes before a program that needs it. */
export interface Helper {
  /** What it is called without the prefix. A helper that replaces a global has the global's name, with `global`. */
  name: string;
  code: string;
}

/** The helpers among `all` that stand in `used`, and those that they need in turn; in the order of `all`. */
export function preludeOf(all: readonly Helper[], used: ReadonlySet<string>): string {
  const wanted = new Set<string>();
  const add = (name: string): void => {
    if (wanted.has(name)) return;
    wanted.add(name);
    const helper = all.find((helper) => helper.name === name);
    // Otherwise it is a name of the helper's own.
    if (helper === undefined) return;
    for (const [, needed] of helper.code.matchAll(needs)) add(needed as string);
  };
  for (const name of used) add(name);
  return all
    .filter(({ name }) => wanted.has(name))
    .map(({ code }) => `${code.trim()}\n`)
    .join('');
}

const needs = new RegExp(`\\b${prefix}(\\w+)`, 'g');
