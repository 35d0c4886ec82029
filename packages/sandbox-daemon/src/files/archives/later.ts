import { memberPathOf } from '@mustard-sandbox/paths';
import * as inside from './inside.ts';

/** As in `../later.ts`, the code for archives is loaded for the first path that leads into one. */
const later = { inside: () => inside };

/** The code for archives if the path leads into one, and otherwise `undefined`. */
export function insideFor(path: unknown): typeof inside | undefined {
  return memberPathOf(path) === undefined ? undefined : later.inside();
}
