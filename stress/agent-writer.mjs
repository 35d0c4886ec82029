// Changes an app over and over, in every way there is, until it is killed.
import { appendFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { applyPlan, editFile, propose } from '../packages/desktop-agent/dist/server/changes/index.js';
import { useJournalKey } from '../packages/desktop-agent/dist/server/changes/journal-key.js';
import { headCommit, revertToVersion } from '../packages/desktop-agent/dist/server/git/index.js';

const app = process.argv[2] ?? '';
const many = Array.from({ length: 20 }, (_, n) => `new/deep-${n}/file.txt`);

/** @typedef {import('../packages/desktop-agent/dist/server/changes/index.js').Change} Change */

/** @returns {Change} */
const write = (/** @type {string} */ path) => ({ type: 'write', path, content: 'B' });
/** @returns {Change} */
const remove = (/** @type {string} */ path) => ({ type: 'delete', path });

/**
 * From A to B and back. `agent-oracle.mjs` knows both.
 *
 * @type {{ toA: Change[], toB: Change[] }}
 */
const changes = {
  toB: [
    { type: 'rename', from: 'dir/x.txt', to: 'moved/x.txt' },
    { type: 'delete', path: 'gone/g.txt' },
    { type: 'write', path: 'a.txt', content: 'B' },
    ...many.map(write),
  ],
  toA: [
    { type: 'rename', from: 'moved/x.txt', to: 'dir/x.txt' },
    { type: 'write', path: 'gone/g.txt', content: 'A' },
    { type: 'write', path: 'a.txt', content: 'A' },
    ...many.map(remove),
  ],
};

async function apply(list, summary) {
  const { plan, proposal } = await propose(app, { summary, changes: list, dependencies: [], commands: [] });
  if (plan === null) throw new Error(proposal.error);
  await applyPlan(app, plan);
}

await useJournalKey(dirname(app));
// Twice the same state: the one that was killed may have left either.
const { plan } = await propose(app, { summary: '', changes: changes.toA.slice(0, 1), dependencies: [], commands: [] });
if (plan !== null) await apply(changes.toA, 'to A');
process.stdout.write('ready\n');
for (let round = 0; ; round++) {
  const inA = (await headCommit(app)) ?? '';
  appendFileSync(join(app, 'mine.txt'), `${round}\n`);
  await apply(changes.toB, 'to B');
  await editFile(app, 'edited.txt', `${round}`, null).catch((error) => {
    if (error.code !== 'changed') throw error;
  });
  if (round % 2 === 0) await apply(changes.toA, 'to A');
  else await revertToVersion(app, inA);
}
