import { createRunner } from 'run';

/** More than the file job needs: it is the time that is asked for, not the limits. */
const limits = { timeoutMs: 60_000, memoryLimitBytes: 256 * 1024 * 1024 };

/** @type {import('./index.mjs').OpenPeer} */
export async function open() {
  return {
    prepare({ body, functions }) {
      if (functions === undefined) {
        const runner = createRunner();
        return () => valueOf(runner, body);
      }
      const runner = createRunner({ syncHostFunctions: { host: functions }, limits });
      const names = Object.keys(functions).map((name) => `const ${name} = (...args) => host.${name}(...args);`);
      return () => valueOf(runner, `${names.join('\n')}\n${body}`);
    },
    close() {},
  };
}

async function valueOf(runner, source) {
  const result = await runner.run({ source });
  return result.value;
}
