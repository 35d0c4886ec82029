import { useSyncExternalStore } from 'react';

/** An immutable value that is replaced, and its listeners. */
export interface Store<T> {
  readonly get: () => T;
  /** Replaces the given fields. If all are the same, no listener is called. */
  readonly set: (change: Partial<T>) => void;
  readonly subscribe: (onChange: () => void) => () => void;
}

export function createStore<T extends object>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(change) {
      const keys = Object.keys(change) as (keyof T)[];
      if (keys.every((key) => Object.is(value[key], change[key]))) return;
      value = { ...value, ...change };
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** A part of the value. The component renders again when it changes. `select` returns the same object for the same value. */
export function useStore<T extends object, Part>(store: Store<T>, select: (value: T) => Part): Part {
  const get = (): Part => select(store.get());
  return useSyncExternalStore(store.subscribe, get, get);
}
