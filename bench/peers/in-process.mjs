import { runInProcess, runParams, valueOf } from './engine.mjs';

/** @type {import('./index.mjs').OpenPeer} */
export async function open() {
  return {
    prepare({ script, scope, limits }) {
      const params = runParams({ script, scope, limits });
      return async () => valueOf(await runInProcess(params));
    },
    close() {},
  };
}
