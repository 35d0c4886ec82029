/** A piece of an answer. */
interface Piece {
  type: 'text' | 'reasoning';
  text: string;
}

const opening = /^\s*<think(?:ing)?>\s*/;
const closing = /\s*<\/think(?:ing)?>\s*/;
/** The length of held back text. It is longer than the tag, so that a tag in two pieces is recognized. */
const held = 16;

/**
 * Separates reasoning from the answer if a local model writes both into one stream, with `<think>` at the very beginning.
 * Later the tag is text, because an answer may be about it.
 */
export class LeadingThink {
  #state: 'beginning' | 'reasoning' | 'answer' = 'beginning';
  #waiting = '';

  push(text: string): Piece[] {
    if (this.#state === 'answer') return piece('text', text);
    this.#waiting += text;
    if (this.#state === 'beginning') {
      const begun = this.#waiting.trimStart();
      const isOpen = opening.test(this.#waiting);
      if (!isOpen && ('<thinking>'.startsWith(begun) || (begun.startsWith('<think') && begun.length < held))) return [];
      this.#state = isOpen ? 'reasoning' : 'answer';
      this.#waiting = this.#waiting.replace(opening, '');
      if (!isOpen) return this.end();
    }
    const end = closing.exec(this.#waiting);
    if (end === null) {
      const ready = this.#waiting.slice(0, -held);
      this.#waiting = this.#waiting.slice(ready.length);
      return piece('reasoning', ready);
    }
    const reasoning = this.#waiting.slice(0, end.index);
    const rest = this.#waiting.slice(end.index + end[0].length);
    this.#state = 'answer';
    this.#waiting = '';
    return [...piece('reasoning', reasoning), ...piece('text', rest)];
  }

  /** Call it at the end. It returns the text that was held back. */
  end(): Piece[] {
    const waiting = this.#waiting;
    this.#waiting = '';
    return piece(this.#state === 'reasoning' ? 'reasoning' : 'text', waiting);
  }
}

function piece(type: Piece['type'], text: string): Piece[] {
  return text === '' ? [] : [{ type, text }];
}
