/**
 * What a person allowed for the rest of a chat, or for an app. It is forgotten when the program ends, because it is not among
 * the settings, where one could look it up.
 */
export class Allowances {
  readonly #byOwner = new Map<string, Set<string>>();

  allows(ownerId: string, what: Allowance): boolean {
    return this.#byOwner.get(ownerId)?.has(keyOf(what)) === true;
  }

  allow(ownerId: string, what: Allowance): void {
    const allowed = this.#byOwner.get(ownerId) ?? new Set();
    this.#byOwner.set(ownerId, allowed.add(keyOf(what)));
  }

  /** Called when the chat or the app is removed. */
  forget(ownerId: string): void {
    this.#byOwner.delete(ownerId);
  }
}

/** An allowance for writes into proposals, for large requests, or for one exact command with the domains that it may reach. */
type Allowance = 'writes' | 'large requests' | { command: string; domains?: readonly string[] };

function keyOf(what: Allowance): string {
  return typeof what === 'string' ? what : `$ ${JSON.stringify([what.command, what.domains ?? []])}`;
}
