const newest = Number(process.versions.node.split('.')[0]);
/** Each major version of the package needs a version of Node at least; the newest that fits is taken. */
const versions = [24, 22, 20].filter((node) => node <= newest);

/** @type {import('./index.mjs').OpenPeer} */
export async function open() {
  const ivm = await load();
  return {
    /** An isolate of its own for each run. */
    prepare({ script, functions = {} }) {
      return async () => {
        const isolate = new ivm.Isolate({ memoryLimit: 128 });
        try {
          const context = await isolate.createContext();
          let names = '';
          for (const [name, call] of Object.entries(functions)) names += define(ivm, context, name, call);
          if (names !== '') await context.eval(names);
          return await context.eval(script, { copy: true });
        } finally {
          isolate.dispose();
        }
      };
    },
    close() {},
  };
}

/** Only plain values cross into an isolate: what is more goes as JSON, and the text of a file as it is. */
function define(ivm, context, name, call) {
  const crossing = new ivm.Callback((args) => {
    const value = call(...JSON.parse(args));
    return typeof value === 'string' ? value : new ivm.ExternalCopy(value).copyInto();
  });
  context.global.setSync(`__${name}`, crossing);
  return `globalThis.${name} = (...args) => __${name}(JSON.stringify(args));\n`;
}

async function load() {
  let failure = new Error('there is none for this version of Node');
  for (const version of versions) {
    try {
      return (await import(`isolated-vm-node${version}`)).default;
    } catch (/** @type {any} */ error) {
      failure = error;
    }
  }
  throw failure;
}
