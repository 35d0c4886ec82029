import { Monty } from '@pydantic/monty';

/** Another language: the same job in an equivalent Python script. @type {import('./index.mjs').OpenPeer} */
export async function open() {
  return {
    prepare({ python, functions = {} }) {
      // Compiled once, as the sidecar keeps compiled scripts.
      const program = new Monty(python);
      const options = { externalFunctions: Object.fromEntries(Object.entries(functions).map(withoutMaps)) };
      return async () => program.run(options);
    },
    close() {},
  };
}

/** A `dict` of the script arrives as a `Map`. */
function withoutMaps([name, call]) {
  const plain = (arg) => (arg instanceof Map ? Object.fromEntries(arg) : arg);
  return [name, (...args) => call(...args.map(plain))];
}
