import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { bundleOneRun } from './bundle.mjs';
import { runParams } from './engine.mjs';

/** @type {import('./index.mjs').OpenPeer} */
export async function open() {
  const file = await bundleOneRun();
  return {
    prepare({ script, scope, limits }) {
      const workerData = runParams({ script, scope, limits });
      /** @type {Promise<unknown>} */
      let gone = Promise.resolve();
      return {
        // The result counts; that the thread ends as well is waited for before the next one starts.
        before: () => gone,
        async run() {
          const worker = new Worker(file, { workerData });
          gone = once(worker, 'exit');
          const [value] = await once(worker, 'message');
          return value;
        },
      };
    },
    close() {},
  };
}
