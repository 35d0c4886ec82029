import { runInProcess, runParams } from './engine.mjs';

/** @type {import('./index.mjs').OpenPeer} */
export async function open() {
  return {
    prepare({ script, scope, limits }) {
      const params = runParams({ script, scope, limits });
      return async () => /** @type {{ json?: unknown }} */ ((await runInProcess(params)).value).json;
    },
    close() {},
  };
}
