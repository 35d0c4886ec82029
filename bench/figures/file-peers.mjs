import { copyFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { sideBySide, summaries } from '../measure.mjs';
import { openPeers, peers } from '../peers/index.mjs';
import { topErrors } from '../peers/jobs.mjs';
import { topErrorsInNode } from '../peers/node-program.mjs';
import { oneSidecar, using } from './sandboxes.mjs';

/** Enough for the reading to show, and little enough for an interpreter that is slow at it. */
const bytes = 8 * 1024 * 1024;

/** The main job on 8 MB, by everything that a user could take instead. */
export async function measure({ quick, log, folder }) {
  const file = join(folder, 'file-peers.log');
  await copyFile(log, file);
  await truncate(file, bytes);
  const job = topErrors(file);
  const expected = await topErrorsInNode(file);
  const { opened, skipped } = await openPeers(Object.keys(peers));
  return await using({ sandbox: oneSidecar(), ...opened }, async ({ sandbox }) => {
    const { script, scope, limits } = job;
    const ways = {
      sidecar: async () => (await sandbox.run({ script, scope, limits: { ...limits, timeoutMs: 10_000 } })).value,
      'plain Node program': () => topErrorsInNode(file),
    };
    for (const [name, peer] of Object.entries(opened)) ways[name] = peer.prepare(job);
    for (const [name, way] of Object.entries(ways)) {
      const reason = await problemOf(way, expected);
      if (reason === undefined) continue;
      skipped[name] = reason;
      delete ways[name];
    }
    const samples = await sideBySide(ways, {
      rounds: quick ? 3 : 10,
      warmup: 1,
      budgetMs: quick ? 8000 : 30_000,
    });
    return { ratios: {}, timings: summaries(samples), skipped };
  });
}

/** Whoever gives another answer does not do the same job. */
async function problemOf(way, expected) {
  try {
    const value = plain(await (typeof way === 'function' ? way() : way.run()));
    return isDeepStrictEqual(value, expected) ? undefined : `another answer: ${JSON.stringify(value).slice(0, 120)}`;
  } catch (/** @type {any} */ error) {
    return `fails: ${error.message.split('\n')[0]}`;
  }
}

/** Objects that came from an isolate, from Python (as a `Map`) or over the wire. */
function plain(value) {
  return JSON.parse(JSON.stringify(value, (_key, part) => (part instanceof Map ? Object.fromEntries(part) : part)));
}
