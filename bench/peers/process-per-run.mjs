import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { bundleOneRun } from './bundle.mjs';
import { runParams } from './engine.mjs';

/** @type {import('./index.mjs').OpenPeer} */
export async function open() {
  const file = await bundleOneRun();
  return {
    prepare({ script, scope, limits }) {
      const params = JSON.stringify(runParams({ script, scope, limits }));
      /** @type {Promise<unknown>} */
      let gone = Promise.resolve();
      return {
        before: () => gone,
        async run() {
          const subprocess = spawn(process.execPath, [file, params], { stdio: ['ignore', 'pipe', 'inherit'] });
          gone = once(subprocess, 'exit');
          return JSON.parse(await text(subprocess.stdout));
        },
      };
    },
    close() {},
  };
}
