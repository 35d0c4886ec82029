import * as json from './json/read-json.ts';
import * as lines from './lines.ts';
import * as readLines from './read-lines.ts';
import * as save from './save/save.ts';
import * as search from './search/index.ts';

/**
 * What few runs need. In the bundle of the sidecar each is evaluated when it is first asked for, for an idle sidecar to
 * be small and a new one to be soon there: scripts/build/late-modules.mjs makes `require` of these imports.
 */
export const later = {
  json: () => json,
  lines: () => lines,
  readLines: () => readLines,
  save: () => save,
  search: () => search,
};
