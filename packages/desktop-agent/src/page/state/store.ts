import { useSyncExternalStore } from 'react';

/** A value that is replaced and never changed, and who wants to know. */
export interface Store<T> {
  readonly get: () => T;
  /** Takes over what is given; a value that is the same tells nobody. */
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

/** A part of the value; renders again when that part is another. `select` gives the same object for the same value. */
export function useStore<T extends object, Part>(store: Store<T>, select: (value: T) => Part): Part {
  const get = (): Part => select(store.get());
  return useSyncExternalStore(store.subscribe, get, get);
}
