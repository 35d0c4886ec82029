import { existsSync, readFileSync } from 'node:fs';

/**
 * @typedef {import('./jobs.mjs').Job} Job
 * @typedef {import('../measure.mjs').Way} Way
 * @typedef {import('../measure.mjs').TimedWay} TimedWay
 * @typedef {{ prepare(job: Job): Way | TimedWay, close(): unknown }} Peer `prepare`: does the job once at each call
 * @typedef {() => Promise<Peer>} OpenPeer
 * @typedef {{ onCrash: string, packages?: string[], load: () => Promise<{ open: OpenPeer }> }} PeerEntry
 *   `onCrash`: what a crash of the engine ends; `packages`: the first that is installed is used
 */

/** What a user would take instead. @type {Record<string, PeerEntry>} */
export const peers = {
  'in-process engine': { onCrash: 'the host', load: () => import('./in-process.mjs') },
  'worker thread per run': { onCrash: 'the host', load: () => import('./worker-per-run.mjs') },
  'process per run': { onCrash: 'the run', load: () => import('./process-per-run.mjs') },
  'quickjs-emscripten': {
    onCrash: 'the run (WebAssembly)',
    packages: ['quickjs-emscripten'],
    load: () => import('./quickjs.mjs'),
  },
  run: { onCrash: 'the run (WebAssembly)', packages: ['run'], load: () => import('./run.mjs') },
  'isolated-vm': {
    onCrash: 'the host',
    packages: ['isolated-vm-node24', 'isolated-vm-node22', 'isolated-vm-node20'],
    load: () => import('./isolated-vm.mjs'),
  },
  'monty (Python)': { onCrash: 'the host', packages: ['@pydantic/monty'], load: () => import('./monty.mjs') },
};

/**
 * Opens the peers that are there.
 *
 * @param {readonly string[]} names
 * @returns {Promise<{ opened: Record<string, Peer>, skipped: Record<string, string> }>} `skipped`: why not, by name
 */
export async function openPeers(names) {
  const opened = {};
  const skipped = {};
  for (const name of names) {
    try {
      opened[name] = await (await peers[name].load()).open();
    } catch (error) {
      skipped[name] = reasonOf(error);
    }
  }
  return { opened, skipped };
}

function reasonOf(error) {
  if (error.code === 'ERR_MODULE_NOT_FOUND') return 'not installed; npm run bench:peers';
  return `does not load: ${error.message.split('\n')[0]}`;
}

/** The version of a peer that is installed; `undefined` for one that is our own code. @param {string} name */
export function versionOf(name) {
  for (const each of peers[name].packages ?? []) {
    const manifest = new URL(`../node_modules/${each}/package.json`, import.meta.url);
    if (existsSync(manifest)) return JSON.parse(readFileSync(manifest, 'utf8')).version;
  }
  return undefined;
}
