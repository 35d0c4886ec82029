// What the page remembers by itself: where a person is and what they have typed. All else is with the server.

/** Of this window; it survives a reload. */
export const keptHere = keeper(() => sessionStorage);
/** Of this browser. */
export const kept = keeper(() => localStorage);

interface Keeper {
  get(key: string): string | null;
  /** `null` removes the key. */
  set(key: string, value: string | null): void;
}

/** A browser can refuse storage, and it can be full: then nothing is remembered, and all else works. */
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
        // Not remembered.
      }
    },
  };
}
