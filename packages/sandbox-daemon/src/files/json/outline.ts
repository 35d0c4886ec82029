import type { SandboxValue } from '@mustard-sandbox/protocol';
import type { Action, Kind, Visitor } from './scanner.ts';

/** How deep the outline of a JSON value goes, and how many keys of an object it names. */
const [maxDepth, maxKeys] = [5, 40];

type Shape = Record<string, SandboxValue>;

/**
 * The shape of a JSON value: `{ type: 'object', length, keys: { name: shape, … } }`, `{ type: 'array', length, first: shape }`,
 * or the name of its type.
 */
export class Outline implements Visitor {
  shape: SandboxValue = null;
  readonly holding: Visitor['holding'];
  readonly #open: Shape[] = [];

  /** @param holding for the one key that is read */
  constructor(holding: Visitor['holding']) {
    this.holding = holding;
  }

  enter(step: string | number | undefined, kind: Kind): Action {
    const isContainer = kind === 'object' || kind === 'array';
    const shape = isContainer ? { type: kind } : kind;
    if (!this.#put(step, shape) || !isContainer || this.#open.length === maxDepth) return 'skip';
    this.#open.push(shape as Shape);
    return 'descend';
  }

  leave(length: number): void {
    const shape = this.#open.pop() as Shape;
    // The shape comes before its contents, which may be long.
    const { type, ...rest } = shape;
    for (const key of Object.keys(rest)) delete shape[key];
    Object.assign(shape, { type, length }, rest);
  }

  captured(): void {}

  /** @returns whether the outline has room for it */
  #put(step: string | number | undefined, shape: SandboxValue): boolean {
    const parent = this.#open.at(-1);
    if (parent === undefined || step === undefined) {
      this.shape = shape;
      return true;
    }
    if (typeof step === 'number') {
      if (step > 0) return false;
      parent['first'] = shape;
      return true;
    }
    const keys = (parent['keys'] ??= Object.create(null) as Shape) as Shape;
    if (!Object.hasOwn(keys, step) && Object.keys(keys).length === maxKeys) return false;
    keys[step] = shape;
    return true;
  }
}
