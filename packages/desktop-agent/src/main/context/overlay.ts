/**
 * What an answer wants to change, laid over the files of an app: nothing is written to look at the result. Applied in the
 * order deletions, renames, writes. Paths are relative to the app, with `/`.
 */
export interface Overlay {
  /** Files, or folders with all that is in them. */
  deletes: readonly string[];
  /** Files, or folders with all that is in them. */
  renames: readonly { from: string; to: string }[];
  writes: readonly { path: string; content: string }[];
}

export const emptyOverlay: Overlay = { deletes: [], renames: [], writes: [] };
