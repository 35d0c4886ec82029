import { memberPathOf } from '@mustard-sandbox/paths';
import * as inside from './inside.ts';

/** As in `../later.ts`: what unpacks is loaded for the first path that leads into an archive. */
const later = { inside: () => inside };

/** What reads in archives, for a path that leads into one. */
export function insideFor(path: unknown): typeof inside | undefined {
  return memberPathOf(path) === undefined ? undefined : later.inside();
}
