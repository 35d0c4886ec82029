import type { Action, Kind, Visitor } from './scanner.ts';
import { all, type Segment } from './path.ts';

/** An object or a list on the way to the value. */
interface Level {
  /**
   * How much was found before the first value of a key that was asked for by name. The key may come again, and then its
   * last value counts.
   */
  before?: { found: number; matches: number };
}

export interface FinderOptions {
  segments: readonly Segment[];
  /** If given, `offset` and `limit` choose among the items of a list, or among all that a `*` finds. */
  offset: number | undefined;
  limit: number | undefined;
  /** Called with the length of each text that is kept. */
  onKept: (characters: number) => void;
  /** Like `holding` of a visitor. */
  onHeld: Visitor['holding'];
}

const shownKeys = 12;

/** Finds the values at a path. */
export class Finder implements Visitor {
  readonly #options: FinderOptions;
  readonly #levels: Level[] = [];
  #found: string[] = [];
  #matches = 0;
  /** Whether the value is a list whose items are chosen. */
  #isList: boolean;
  /** The keys at the deepest place at which the path ended. */
  #missed: { depth: number; keys: Set<string> } = { depth: 0, keys: new Set() };

  constructor(options: FinderOptions) {
    this.#options = options;
    this.#isList = options.segments.includes(all);
  }

  /** The texts of the values that were found; `undefined` when the path leads nowhere. */
  get found(): { texts: string[]; isList: boolean } | undefined {
    if (this.#matches === 0 && (!this.#isList || this.#missed.keys.size > 0)) return undefined;
    return { texts: this.#found, isList: this.#isList };
  }

  get missed(): { depth: number; keys: string[] } {
    return { depth: this.#missed.depth, keys: [...this.#missed.keys] };
  }

  enter(step: string | number | undefined, kind: Kind): Action {
    const { segments } = this.#options;
    const depth = this.#levels.length;
    if (step !== undefined && depth <= segments.length && !this.#isMatch(step, segments[depth - 1])) {
      this.#miss(depth, String(step));
      return 'skip';
    }
    if (depth < segments.length) return this.#descend(kind);
    const chooses = this.#options.limit !== undefined || this.#options.offset !== undefined;
    if (depth === segments.length && chooses && kind === 'array' && !segments.includes(all)) {
      this.#isList = true;
      return this.#descend(kind);
    }
    return this.#isChosen() ? 'capture' : 'skip';
  }

  leave(): void {
    this.#levels.pop();
  }

  captured(text: string): void {
    this.#options.onKept(text.length);
    this.#found.push(text);
  }

  holding(bytes: number, isKey: boolean): void {
    this.#options.onHeld(bytes, isKey);
  }

  #descend(kind: Kind): Action {
    if (kind !== 'object' && kind !== 'array') return 'skip';
    this.#levels.push({});
    // The path led here, so keys that were missing above no longer matter.
    if (this.#levels.length > this.#missed.depth) this.#missed = { depth: this.#levels.length, keys: new Set() };
    return 'descend';
  }

  #isMatch(step: string | number, segment: Segment | undefined): boolean {
    if (segment === all) return true;
    if (String(step) !== segment) return false;
    const level = this.#levels.at(-1) as Level;
    if (level.before === undefined) level.before = { found: this.#found.length, matches: this.#matches };
    else {
      this.#found.length = level.before.found;
      this.#matches = level.before.matches;
    }
    return true;
  }

  #isChosen(): boolean {
    const { offset = 0, limit = Infinity } = this.#options;
    const at = this.#matches++;
    return !this.#isList || (at >= offset && at < offset + limit);
  }

  #miss(depth: number, key: string): void {
    if (depth === this.#missed.depth && this.#missed.keys.size < shownKeys) this.#missed.keys.add(key);
  }
}
