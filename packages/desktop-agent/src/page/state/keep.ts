// What the page itself remembers: where a person is and what they have typed. The server has everything else.

/** The storage of this window, which survives a reload. */
export const keptHere = keeper(() => sessionStorage);
/** The storage of this browser. */
export const kept = keeper(() => localStorage);

interface Keeper {
  get(key: string): string | null;
  /** `null` removes the key. */
  set(key: string, value: string | null): void;
}

/** A browser can refuse storage, or it can be full. Then nothing is remembered, but all else works. */
function keeper(storage: () => Storage): Keeper {
  return {
    get(key) {
      try {
        return storage().getItem(`mustard-agent:${key}`);
      } catch {
        return null;
      }
    },
    set(key, value) {
      try {
        if (value === null) storage().removeItem(`mustard-agent:${key}`);
        else storage().setItem(`mustard-agent:${key}`, value);
      } catch {
        // It is not remembered.
      }
    },
  };
}
