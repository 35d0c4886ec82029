/** The memory that messages of one token take. */
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
        // A small thing is always accepted, because the answer of a host function must get through to end a run.
        return own <= smallBytes || this.#held <= this.most;
      },
    };
  }
}

/** One thing that is counted. */
export interface Counted {
  /**
   * Sets its size, and returns whether there is room for it with all others. It counts in either case, until it is set
   * to 0.
   */
  set(bytes: number): boolean;
}

const smallBytes = 64 * 1024;
/** How many bytes a field or an item takes in addition to its content. */
const itemBytes = 16;

/** About how many bytes of memory a part of a message takes. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return itemBytes;
  let bytes = itemBytes;
  if (Array.isArray(value)) for (const item of value) bytes += weightOf(item);
  else for (const [name, item] of Object.entries(value)) bytes += name.length + weightOf(item);
  return bytes;
}
