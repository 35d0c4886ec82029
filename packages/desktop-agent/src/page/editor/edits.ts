// Unsaved texts of files. They outlive the editor, and the page asks before it is left.

/** An unsaved text, and the version of the file that it is based on. */
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
  /** Stores the unsaved text of a file; `undefined` when it was saved or discarded. */
  set(appId: string, path: string, edit: Edit | undefined): void {
    const key = keyOf(appId, path);
    const wasUnsaved = unsaved.has(key);
    if (edit === undefined) unsaved.delete(key);
    else unsaved.set(key, edit);
    if (unsaved.size > 0) addEventListener('beforeunload', askBeforeLeaving);
    else removeEventListener('beforeunload', askBeforeLeaving);
    // Listeners need to know only whether there is an edit.
    if (wasUnsaved !== (edit !== undefined)) for (const listener of listeners) listener();
  },
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
