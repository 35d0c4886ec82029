// What was typed into files and is not saved: it outlives the editor, and leaving the page asks first.

/** A text that is not saved, and what it was made from. */
export interface Edit {
  content: string;
  /** The hash of the file as it was read. */
  hash: string;
}

const unsaved = new Map<string, Edit>();
const listeners = new Set<() => void>();
const keyOf = (appId: string, path: string): string => `${appId}:${path}`;

const askBeforeLeaving = (event: BeforeUnloadEvent): void => event.preventDefault();

export const edits = {
  get: (appId: string, path: string): Edit | undefined => unsaved.get(keyOf(appId, path)),
  /** `undefined`: it is saved, or given up. */
  set(appId: string, path: string, edit: Edit | undefined): void {
    const key = keyOf(appId, path);
    const wasUnsaved = unsaved.has(key);
    if (edit === undefined) unsaved.delete(key);
    else unsaved.set(key, edit);
    if (unsaved.size > 0) addEventListener('beforeunload', askBeforeLeaving);
    else removeEventListener('beforeunload', askBeforeLeaving);
    // Who listens wants to know whether, and not what.
    if (wasUnsaved !== (edit !== undefined)) for (const listener of listeners) listener();
  },
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
