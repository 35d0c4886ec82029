/** What a person allowed for the rest of a chat, or for an app. Until the program ends: it is no setting that one could look up. */
export class Allowances {
  readonly #byOwner = new Map<string, Set<string>>();

  allows(ownerId: string, what: Allowance): boolean {
    return this.#byOwner.get(ownerId)?.has(keyOf(what)) === true;
  }

  allow(ownerId: string, what: Allowance): void {
    const allowed = this.#byOwner.get(ownerId) ?? new Set();
    this.#byOwner.set(ownerId, allowed.add(keyOf(what)));
  }

  /** With the chat or the app. */
  forget(ownerId: string): void {
    this.#byOwner.delete(ownerId);
  }
}

/** Writes into proposals, large requests, or one exact command. */
type Allowance = 'writes' | 'large requests' | { command: string };

function keyOf(what: Allowance): string {
  return typeof what === 'string' ? what : `$ ${what.command}`;
}
