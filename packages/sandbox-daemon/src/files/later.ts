import * as chart from './chart/chart.ts';
import * as json from './json/read-json.ts';
import * as lines from './lines.ts';
import * as parallel from './parallel/parallel.ts';
import * as readLines from './read-lines.ts';
import * as save from './save/save.ts';
import * as search from './search/index.ts';

/**
 * Modules that few runs need. In the bundle of the sidecar each is evaluated at its first use, so that an idle sidecar
 * stays small and a new one starts fast: scripts/build/late-modules.mjs turns these imports into `require`.
 */
export const later = {
  chart: () => chart,
  json: () => json,
  lines: () => lines,
  parallel: () => parallel,
  readLines: () => readLines,
  save: () => save,
  search: () => search,
};
