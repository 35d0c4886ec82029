import { getQuickJS } from 'quickjs-emscripten';

/** @type {import('./index.mjs').OpenPeer} */
export async function open() {
  const quickjs = await getQuickJS();
  return {
    /** A runtime and a context of its own for each run: the sidecar keeps nothing between runs either. */
    prepare({ script, functions = {} }) {
      return async () => {
        const context = quickjs.newContext();
        try {
          for (const [name, call] of Object.entries(functions)) define(context, name, call);
          const result = context.unwrapResult(context.evalCode(script));
          const value = context.dump(result);
          result.dispose();
          return value;
        } finally {
          context.dispose();
        }
      };
    },
    close() {},
  };
}

function define(context, name, call) {
  const handle = context.newFunction(name, (...args) => {
    const value = call(...args.map((arg) => context.dump(arg)));
    if (typeof value === 'string') return context.newString(value);
    return context.unwrapResult(context.evalCode(`(${JSON.stringify(value)})`));
  });
  context.setProp(context.global, name, handle);
  handle.dispose();
}
