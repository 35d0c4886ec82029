import type { Facts } from './facts.ts';

/** All names that lowering adds to a program begin with this. */
export const prefix = '__ms_';

/** Code in the script language that goes before a program that needs it. */
export interface Helper {
  /** What it is called without the prefix. A helper that replaces a global has the global's name, with `global`. */
  name: string;
  code: string | ((facts: Facts) => string);
}

/** What leads from a name to the helper that defines it; made once. */
let index: Map<string, Helper> | undefined;

function indexOf(all: readonly Helper[], facts: Facts): Map<string, Helper> {
  const found = new Map<string, Helper>();
  for (const helper of all) {
    for (const [, name] of codeOf(helper, facts).matchAll(defines)) found.set(name as string, helper);
  }
  for (const helper of all) found.set(helper.name, helper);
  return found;
}

function codeOf({ code }: Helper, facts: Facts): string {
  return typeof code === 'string' ? code : code(facts);
}

/** The helpers among `all` that stand in `used`, and those that they need in turn; in the order of `all`. */
export function preludeOf(all: readonly Helper[], used: ReadonlySet<string>, facts: Facts): string {
  index ??= indexOf(all, facts);
  const wanted = new Map<Helper, string>();
  const add = (name: string): void => {
    // Otherwise it is a name of the helper's own.
    const helper = index?.get(name);
    if (helper === undefined || wanted.has(helper)) return;
    const code = codeOf(helper, facts);
    wanted.set(helper, code);
    for (const [, needed] of code.matchAll(needs)) add(needed as string);
  };
  for (const name of used) add(name);
  return all
    .filter((helper) => wanted.has(helper))
    .map((helper) => `${wanted.get(helper)?.trim()}\n`)
    .join('');
}

const needs = new RegExp(`\\b${prefix}(\\w+)`, 'g');
const defines = new RegExp(`^(?:function|const|let) ${prefix}(\\w+)`, 'gm');
