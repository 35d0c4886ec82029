// Measures one figure in this process and sends the result to the parent. Started by `session.mjs`.
import { figures } from './figures/index.mjs';
import { growth } from './growth/index.mjs';

// Unhandled on purpose: a figure that throws ends this process, and the parent reports its exit.
process.once('message', (task) => void measureOne(/** @type {Task} */ (task)));
// Whoever asked is gone.
process.once('disconnect', () => process.exit());

/**
 * @typedef {{ name: string, setting: Omit<import('./figures/index.mjs').Setting, 'progress'> }} Task
 * @param {Task} task
 */
async function measureOne({ name, setting }) {
  const send = /** @type {NonNullable<typeof process.send>} */ (process.send).bind(process);
  const { measure } = await { ...figures, ...growth }[name].load();
  const result = await measure({ ...setting, progress: (text) => send({ progress: text }) });
  send({ result }, () => process.disconnect());
}
