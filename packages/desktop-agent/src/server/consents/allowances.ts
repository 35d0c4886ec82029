/** What a person allowed for the rest of a chat. Until the program ends: it is no setting that one could look up. */
export class Allowances {
  readonly #byChat = new Map<string, Set<string>>();

  allows(chatId: string, what: Allowance): boolean {
    return this.#byChat.get(chatId)?.has(keyOf(what)) === true;
  }

  allow(chatId: string, what: Allowance): void {
    const allowed = this.#byChat.get(chatId) ?? new Set();
    this.#byChat.set(chatId, allowed.add(keyOf(what)));
  }

  /** With the chat. */
  forget(chatId: string): void {
    this.#byChat.delete(chatId);
  }
}

/** Writes into proposals, or one exact command. */
type Allowance = 'writes' | { command: string };

function keyOf(what: Allowance): string {
  return what === 'writes' ? what : `$ ${what.command}`;
}
