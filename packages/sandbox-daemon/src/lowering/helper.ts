import type { Facts } from './facts.ts';

/** All names that lowering adds to a program begin with this. */
export const prefix = '__ms_';

/** Code in the script language that goes before a program that needs it. */
export interface Helper {
  /** What it is called without the prefix. A helper that replaces a global has the global's name, with `global`. */
  name: string;
  code: string | ((facts: Facts) => string);
}

/** All helpers of one text: a name in it leads to it. */
function definedIn(code: string, name: string): boolean {
  return code.includes(`function ${prefix}${name}(`) || code.includes(`const ${prefix}${name} `);
}

/** The helpers among `all` that stand in `used`, and those that they need in turn; in the order of `all`. */
export function preludeOf(all: readonly Helper[], used: ReadonlySet<string>, facts: Facts): string {
  const codeOf = ({ code }: Helper): string => (typeof code === 'string' ? code : code(facts));
  const wanted = new Set<string>();
  const seen = new Set<string>();
  const add = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    const helper = all.find((helper) => helper.name === name) ?? all.find((helper) => definedIn(codeOf(helper), name));
    // Otherwise it is a name of the helper's own.
    if (helper === undefined) return;
    wanted.add(helper.name);
    for (const [, needed] of codeOf(helper).matchAll(needs)) add(needed as string);
  };
  for (const name of used) add(name);
  return all
    .filter(({ name }) => wanted.has(name))
    .map((helper) => `${codeOf(helper).trim()}\n`)
    .join('');
}

const needs = new RegExp(`\\b${prefix}(\\w+)`, 'g');
