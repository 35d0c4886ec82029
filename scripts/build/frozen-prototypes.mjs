// A host may have frozen `Object.prototype`. vscode-jsonrpc 10.0.0 then throws while it loads, because it assigns a
// `toString` to a plain object: an inherited property that is read-only cannot be assigned, only defined.
import { readFileSync } from 'node:fs';

const assigned = 'Trace.toString = toString;';
const defined = "Object.defineProperty(Trace, 'toString', { value: toString });";

/** @type {import('esbuild').Plugin} */
export const frozenPrototypes = {
  name: 'frozen-prototypes',
  setup(bundler) {
    bundler.onLoad({ filter: /vscode-jsonrpc[\\/]lib[\\/]common[\\/]connection\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      if (!source.includes(assigned)) throw new Error(`${path} has no "${assigned}" any more: is this still needed?`);
      return { contents: source.replace(assigned, defined), loader: 'js' };
    });
  },
};
