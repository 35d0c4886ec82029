/**
 * The changes of an answer over the files of an app, so that one can see the result without writing. They are applied in
 * the order deletions, renames, writes. Paths are relative to the app, with `/`.
 */
export interface Overlay {
  /** Files, or folders with all that is in them. */
  deletes: readonly string[];
  /** Files, or folders with all that is in them. */
  renames: readonly { from: string; to: string }[];
  writes: readonly { path: string; content: string }[];
}

export const emptyOverlay: Overlay = { deletes: [], renames: [], writes: [] };

/**
 * Where a file is after the deletions and renames of an overlay.
 *
 * @returns `undefined` when it is deleted
 */
export function placeAfter(path: string, { deletes, renames }: Overlay): string | undefined {
  if (deletes.some((deleted) => restBelow(path, deleted) !== undefined)) return undefined;
  let place = path;
  for (const { from, to } of renames) {
    const rest = restBelow(place, from);
    if (rest !== undefined) place = to + rest;
  }
  return place;
}

/** The rest of a path after a folder: '' for the folder itself, `/x` for a path in it, `undefined` for all others. */
function restBelow(path: string, folder: string): string | undefined {
  if (path === folder) return '';
  return path.startsWith(`${folder}/`) ? path.slice(folder.length) : undefined;
}

/**
 * The path on the disk from which a path of the proposed tree comes. Writes are not considered.
 *
 * @returns `undefined` when nothing is left there
 */
export function sourceOf(path: string, { deletes, renames }: Overlay): string | undefined {
  let source = path;
  for (const { from, to } of renames.toReversed()) {
    const rest = restBelow(source, to);
    if (rest !== undefined) source = from + rest;
    else if (restBelow(source, from) !== undefined) return undefined;
  }
  return deletes.some((deleted) => restBelow(source, deleted) !== undefined) ? undefined : source;
}
