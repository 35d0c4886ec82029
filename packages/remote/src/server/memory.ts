/** What messages of one token hold. */
export class Memory {
  readonly most: number;
  #held = 0;

  constructor(most: number) {
    this.most = most;
  }

  get held(): number {
    return this.#held;
  }

  /** Counts something whose size changes. */
  count(): Counted {
    let own = 0;
    return {
      set: (bytes) => {
        this.#held += bytes - own;
        own = bytes;
        // What is small is never too much: an answer of a host function must get through to end a run.
        return own <= smallBytes || this.#held <= this.most;
      },
    };
  }
}

/** One thing that is counted. */
export interface Counted {
  /** Whether there is room for it, beside all others. It counts in any case, until it is set to 0. */
  set(bytes: number): boolean;
}

const smallBytes = 64 * 1024;
/** What a field or an item takes beside its content. */
const itemBytes = 16;

/** About what a part of a message takes in memory. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return itemBytes;
  let bytes = itemBytes;
  if (Array.isArray(value)) for (const item of value) bytes += weightOf(item);
  else for (const [name, item] of Object.entries(value)) bytes += name.length + weightOf(item);
  return bytes;
}
