/**
 * Tells, character by character, whether a place in markdown is code: in a fence, on the line that opens one, or after an
 * odd number of backticks on its line. A tag there is an example, not an order.
 */
export class CodeSpans {
  /** The open fence: its character and the length of the run. */
  #fence: { mark: string; count: number } | undefined;
  /** The run of backticks or tildes at the start of the line. */
  #mark = '';
  #count = 0;
  #runOver = false;
  /** Whether only blanks came after the run. */
  #bare = true;
  #backticks = 0;

  get insideCode(): boolean {
    if (this.#fence !== undefined) return true;
    return this.#opensFence() || this.#backticks % 2 === 1;
  }

  /** Whether there are only blanks before this place on its line. */
  get atLineStart(): boolean {
    return this.#mark === '' && !this.#runOver;
  }

  add(text: string): void {
    for (const character of text) this.#addOne(character);
  }

  #addOne(character: string): void {
    if (character === '\n') return this.#endLine();
    if (character === '`') this.#backticks++;
    const blank = character === ' ' || character === '\t' || character === '\r';
    if (!this.#runOver) {
      const isMark = character === '`' || character === '~';
      if (isMark && (this.#mark === '' || this.#mark === character)) {
        this.#mark = character;
        this.#count++;
        return;
      }
      if (blank && this.#mark === '') return;
      this.#runOver = true;
    }
    if (!blank) this.#bare = false;
  }

  #opensFence(): boolean {
    if (this.#count < 3) return false;
    // "```js```" on one line is a span.
    return this.#mark === '~' || this.#backticks === this.#count;
  }

  #endLine(): void {
    if (this.#fence === undefined) {
      if (this.#opensFence()) this.#fence = { mark: this.#mark, count: this.#count };
    } else if (this.#mark === this.#fence.mark && this.#count >= this.#fence.count && this.#bare) {
      this.#fence = undefined;
    }
    this.#mark = '';
    this.#count = 0;
    this.#runOver = false;
    this.#bare = true;
    this.#backticks = 0;
  }
}
