const mostCharacters = 100;
/**
 * Members that no host function may have, because every object seems to have them, or the language calls them by
 * itself.
 */
const taken = new Set([...Object.getOwnPropertyNames(Object.prototype), '__proto__', 'prototype', 'then', 'toJSON']);

/** Gives the tools of one namespace names that a script can use. */
export class Names {
  readonly #given = new Set<string>();

  /** `search-issues` becomes `search_issues`, and a second tool with the same name `search_issues_2`. */
  of(name: string): string {
    const plain = name.replaceAll(/[^A-Za-z0-9_$]/g, '_').slice(0, mostCharacters) || '_';
    const first = /^[0-9]/.test(plain) || taken.has(plain) ? `_${plain}` : plain;
    let free = first;
    for (let next = 2; this.#given.has(free); next++) free = `${first}_${next}`;
    this.#given.add(free);
    return free;
  }
}
