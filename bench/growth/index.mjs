/**
 * @typedef {import('../figures/index.mjs').Setting} Setting
 * @typedef {{ x: number, values: Record<string, import('../statistics.mjs').Summary> }} Row `values`: by series
 * @typedef {{
 *   name: string, title: string,
 *   x: string, xUnit: 'count' | 'bytes', y: string, unit: 'ms' | 'bytes' | '1/s',
 *   rows: Row[],
 * }} Growth `x` and `y`: what the axes show
 */

/**
 * How cost grows with size: modules with `measure(setting)`, each run in a process of its own, that give one or more
 * tables.
 *
 * @type {Record<string, { load: () => Promise<{ measure: (setting: Setting) => Promise<Growth[]> }> }>}
 */
export const growth = {
  'growth-script-size': { load: () => import('./script-size.mjs') },
  'growth-result-size': { load: () => import('./result-size.mjs') },
  'growth-attachments': { load: () => import('./attachments.mjs') },
  'growth-directory': { load: () => import('./directory.mjs') },
  'growth-callers': { load: () => import('./callers.mjs') },
  'growth-host-calls': { load: () => import('./host-calls.mjs') },
  'growth-file-size': { load: () => import('./file-size.mjs') },
};
