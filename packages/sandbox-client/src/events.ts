import { messageOf } from '@mustard-sandbox/protocol';
import type { SandboxEvents } from './types.ts';

type Listener<E extends keyof SandboxEvents> = (facts: SandboxEvents[E]) => void;

/** Calls listeners. A listener that throws harms neither the sandbox nor other listeners. */
export class Events {
  readonly #listeners = new Map<keyof SandboxEvents, Set<Listener<never>>>();

  on<E extends keyof SandboxEvents>(event: E, listener: Listener<E>): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Returns whether there was a listener. */
  emit<E extends keyof SandboxEvents>(event: E, facts: SandboxEvents[E]): boolean {
    const listeners = this.#listeners.get(event);
    if (listeners === undefined) return false;
    for (const listener of listeners) callSafely(listener as Listener<E>, facts);
    return listeners.size > 0;
  }
}

/**
 * Calls a callback of the host. An error that it throws becomes a process warning, because nobody here can handle it.
 */
export function callSafely<T>(callback: (argument: T) => unknown, argument: T): void {
  try {
    const result = callback(argument);
    if (result instanceof Promise) result.catch(warn);
  } catch (error) {
    warn(error);
  }
}

function warn(error: unknown): void {
  process.emitWarning(`A listener of the sandbox threw: ${messageOf(error)}`, 'MustardSandboxWarning');
}
