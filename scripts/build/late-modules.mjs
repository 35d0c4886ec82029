import { readFile } from 'node:fs/promises';

/**
 * Has the modules that each `later.ts` of the daemon names loaded when they are first asked for. `import()` would give a
 * promise, and its sources run as ES modules, too, which have no `require`.
 *
 * @type {import('esbuild').Plugin}
 */
export const lateModules = {
  name: 'late-modules',
  setup(build) {
    build.onLoad({ filter: /sandbox-daemon[\\/]src[\\/]files[\\/](?:archives[\\/])?later\.ts$/ }, async ({ path }) => {
      const paths = new Map();
      const withoutImports = (await readFile(path, 'utf8')).replace(
        /^import \* as (\w+) from ('.+');$/gm,
        (_, name, of) => {
          paths.set(name, of);
          return '';
        },
      );
      const contents = withoutImports.replace(/\(\) => (\w+)/g, (_, name) => `() => require(${paths.get(name)})`);
      return { contents, loader: 'ts' };
    });
  },
};
