import { sharedSignal, type CancelSignal } from '@mustard-sandbox/protocol';

/** The reason of each abort, made once. Without a reason, each abort would make an error with a stack. */
const over = new Error('The call is over.');

/** A signal that is aborted when any of its sources is, and when the call is over. */
export class Life implements Disposable {
  readonly #controller = new AbortController();
  readonly #sources: CancelSignal[];
  // AbortSignal.any is not used: a source may live as long as the host, and Node 20 never frees the signals that follow
  // it.
  readonly #end = (): void => this.#controller.abort(over);

  constructor(sources: readonly (AbortSignal | undefined)[]) {
    this.#sources = sources.filter((source) => source !== undefined).map(sharedSignal);
    for (const source of this.#sources) {
      if (source.aborted) this.#end();
      else source.addEventListener('abort', this.#end);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    for (const source of this.#sources) source.removeEventListener('abort', this.#end);
    this.#end();
  }
}
