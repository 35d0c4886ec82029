// Bundles the packages that are loaded as a whole: a few files load in a fraction of the time that zod and ours take as
// modules. And in its jail the sidecar sees its own files and the engine, but no node_modules.
import { rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { bundleOptions, clientFolder, daemonFolder, mcpServerFolder, toolFolder } from './bundle-options.mjs';
import { thirdPartyLicenses } from './third-party-licenses.mjs';

await bundle(daemonFolder, {
  entryPoints: {
    main: 'src/server/main.ts',
    'watchdog-thread': 'src/server/watchdog-thread.ts',
    'log-sink': 'src/server/log-sink.ts',
  },
  minifySyntax: true,
  minifyWhitespace: true,
  // pino is CommonJS and requires Node's own modules.
  banner: { js: "import{createRequire as requireFor}from'node:module';const require=requireFor(import.meta.url);" },
});
// Not minified: its functions stand in the stack traces of its users.
await bundle(clientFolder, { entryPoints: { index: 'src/index.ts' } });
// Named by their content: those of an earlier build would stay.
rmSync(`${toolFolder}dist/shared`, { recursive: true, force: true });
await bundle(toolFolder, {
  entryPoints: { index: 'src/index.ts', host: 'src/host.ts', 'adapters/ai-sdk': 'src/adapters/ai-sdk.ts' },
  splitting: true,
  chunkNames: 'shared/[hash]',
  // acorn stands in the declarations.
  external: ['@mustard-sandbox/client', 'acorn', '@opentelemetry/api', 'ai'],
});
await bundle(mcpServerFolder, {
  entryPoints: { index: 'src/index.ts' },
  external: ['@mustard-sandbox/agent-tool', '@mustard-sandbox/client', '@modelcontextprotocol/server'],
});

/**
 * @param {string} folder of the package
 * @param {import('esbuild').BuildOptions} options
 */
async function bundle(folder, options) {
  const { metafile } = await build({
    ...bundleOptions,
    absWorkingDir: folder,
    metafile: true,
    outdir: 'dist',
    legalComments: 'inline',
    logLevel: 'warning',
    ...options,
  });
  // What is inlined is shipped: its notices go with it.
  writeFileSync(`${folder}dist/THIRD-PARTY-LICENSES.txt`, thirdPartyLicenses(metafile, folder));
}
