import type { Action, Kind, Visitor } from './scanner.ts';
import { all, type Segment } from './path.ts';

/** A container on the way to what is looked for. */
interface Level {
  /** How much was found before a key that was asked for by name came first: it may come again, and then the last counts. */
  before?: { found: number; matches: number };
}

export interface FinderOptions {
  segments: readonly Segment[];
  /** Given, they choose among the items of an array, or among all that a `*` finds. */
  offset: number | undefined;
  limit: number | undefined;
  /** Called with the size of each text that is kept. */
  onKept: (characters: number) => void;
  /** As `holding` of a visitor. */
  onHeld: Visitor['holding'];
}

const shownKeys = 12;

/** Finds what a path leads to. */
export class Finder implements Visitor {
  readonly #options: FinderOptions;
  readonly #levels: Level[] = [];
  #found: string[] = [];
  #matches = 0;
  /** What was asked for is an array, whose items are chosen among. */
  #isList: boolean;
  /** The keys that are there where the path leads no further, at its deepest. */
  #missed: { depth: number; keys: Set<string> } = { depth: 0, keys: new Set() };

  constructor(options: FinderOptions) {
    this.#options = options;
    this.#isList = options.segments.includes(all);
  }

  /** The texts of what was found; `undefined`: the path leads nowhere. */
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
    // Here the path has led: what is missed above it says nothing any more.
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
