import type { BuiltinCall } from '../call.ts';
import type { Block } from './blocks.ts';
import { countNewlines } from './newlines.ts';
import type { Findings } from './scan.ts';

/** Counts matches. */
export class MatchCount implements Findings {
  count = 0;

  found(): boolean {
    this.count++;
    return false;
  }

  blockEnd(): boolean {
    return false;
  }
}

/** Counts the lines that do not match. */
export class OtherLineCount implements Findings {
  count = 0;

  found(): boolean {
    this.count--;
    return false;
  }

  blockEnd({ bytes, isOpen }: Block): boolean {
    this.count += countNewlines(bytes);
    // The last line of a text may have no end.
    if (!isOpen && bytes.length > 0 && bytes[bytes.length - 1] !== 0x0a) this.count++;
    return false;
  }
}

/** The most different values that are counted, and the most characters that all of them may have. */
const maxValues = 500_000;
const maxCharacters = 32 * 1024 * 1024;

/** Counts how often a group has each value. */
export class GroupCount implements Findings {
  readonly #group: (match: RegExpExecArray) => string | undefined;
  readonly #call: BuiltinCall;
  readonly #counts = new Map<string, number>();
  #characters = 0;

  constructor(group: (match: RegExpExecArray) => string | undefined, call: BuiltinCall) {
    this.#group = group;
    this.#call = call;
  }

  found(_block: Block, _at: number, _lineEnd: number, match: RegExpExecArray | undefined): boolean {
    const value = match === undefined ? undefined : this.#group(match);
    if (value === undefined) return false;
    const count = this.#counts.get(value);
    if (count === undefined) this.#makeRoom(value);
    this.#counts.set(value, (count ?? 0) + 1);
    return false;
  }

  blockEnd(): boolean {
    return false;
  }

  /** The most frequent values first. Values of the same frequency are in the order of their texts. */
  top(most: number): { counts: { value: string; count: number }[]; isTruncated: boolean } {
    const all = [...this.#counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    const counts = all.slice(0, most).map(([value, count]) => ({ value, count }));
    return { counts, isTruncated: all.length > most };
  }

  #makeRoom(value: string): void {
    this.#characters += value.length;
    if (this.#counts.size < maxValues && this.#characters <= maxCharacters) return;
    const why = `by: there are more than ${this.#counts.size} different values. Count a group with fewer values.`;
    throw this.#call.limitExceeded('value_items', maxValues, this.#counts.size, why, 'items');
  }
}
