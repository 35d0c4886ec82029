/**
 * @typedef {import('../statistics.mjs').Ratio} Ratio
 * @typedef {{ quick: boolean, log: string, folder: string, progress: (text: string) => void }} Setting
 *   `log`: 80 MB; `folder`: empty, removed afterwards
 * @typedef {{ value: number, low?: number, high?: number } | { skipped: string }} Measured
 * @typedef {{
 *   ratios: Record<string, Measured>,
 *   timings: Record<string, import('../statistics.mjs').Summary & { unit: string }>,
 *   skipped?: Record<string, string>,
 * }} FigureResult `ratios`: by the names in `wanted.mjs`
 */

/**
 * Every figure by its name: a module with `measure(setting)`, which runs in a process of its own.
 *
 * @type {Record<string, { title: string, load: () => Promise<{ measure: (setting: Setting) => Promise<FigureResult> }> }>}
 */
export const figures = {
  warm: { title: 'Warm `1 + 1`', load: () => import('./warm.mjs') },
  'host-calls': { title: 'A script with 100 host calls', load: () => import('./host-calls.mjs') },
  'one-processor': { title: 'The same, all on one processor', load: () => import('./one-processor.mjs') },
  peers: { title: '`1 + 1` by what a user could take instead', load: () => import('./peers.mjs') },
  'new-script': { title: 'A script that was not seen before', load: () => import('./new-script.mjs') },
  'first-run': { title: 'Nothing spawned to the first result', load: () => import('./first-run.mjs') },
  'big-file': { title: 'Top five errors of an 80 MB log', load: () => import('./big-file.mjs') },
  search: { title: 'The same by `search`, and every line of it', load: () => import('./search.mjs') },
  lines: { title: 'A loop over the lines of an 80 MB log, and in QuickJS alone', load: () => import('./lines.mjs') },
  query: { title: 'A percentile by group over a CSV of 1 M rows', load: () => import('./query.mjs') },
  readers: { title: 'A percentile by group over files of each kind', load: () => import('./readers.mjs') },
  parallel: { title: 'Ten logs of 160 MB by `parallel` on two processors', load: () => import('./parallel.mjs') },
  'file-peers': {
    title: 'Top five errors of an 8 MB log by what a user could take instead',
    load: () => import('./file-peers.mjs'),
  },
  jail: { title: 'The OS jail', load: () => import('./jail.mjs') },
  bash: { title: 'A command in the jail of a workspace', load: () => import('./bash.mjs') },
  throughput: { title: 'Runs per second for 64 callers', load: () => import('./throughput.mjs') },
  recovery: { title: 'Crash to the next result, with a spare', load: () => import('./recovery.mjs') },
  'idle-memory': { title: 'Resident memory while idle', load: () => import('./idle-memory.mjs') },
  'host-cpu': { title: "The host's processor time for a run", load: () => import('./host-cpu.mjs') },
  transfer: { title: '1 MB out of a script and into it', load: () => import('./transfer.mjs') },
  language: { title: 'What scripts do with much data', load: () => import('./language.mjs') },
  remote: { title: 'A run at a server on the same machine', load: () => import('./remote.mjs') },
  'remote-upload': { title: 'Upload of 1 GB', load: () => import('./remote-upload.mjs') },
  mcp: { title: 'The MCP server', load: () => import('./mcp.mjs') },
  import: { title: 'Import of the client package', load: () => import('./import.mjs') },
};
