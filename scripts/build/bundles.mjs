// Bundles the packages that are loaded as a whole: a few files load in a fraction of the time that zod and ours take as
// modules. And in its jail the sidecar sees its own files and the engine, but no node_modules.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  bashToolsFolder,
  bundleOptions,
  cardsFolder,
  cliFolder,
  clientFolder,
  commonJs,
  daemonFolder,
  mcpServerFolder,
  remoteFolder,
  toolFolder,
  withPlace,
  withRequire,
} from './bundle-options.mjs';
import { isCompiled } from './compiled.mjs';
import { replaceFile } from './replace.mjs';
import { isFresh, writeStamp } from './stamp.mjs';
import { thirdPartyLicenses } from './third-party-licenses.mjs';

const minified = { minifySyntax: true, minifyWhitespace: true };

/** @type {[folder: string, ...builds: import('esbuild').BuildOptions[]][]} */
const bundles = [
  [
    daemonFolder,
    {
      ...minified,
      ...commonJs,
      entryPoints: {
        main: 'src/server/main.ts',
        sidecar: 'src/server/sidecar.ts',
        'watchdog-thread': 'src/server/watchdog-thread.ts',
        reading: 'src/engine/read/reading.ts',
        'log-sink': 'src/server/log-sink.ts',
        'aside-thread': 'src/files/aside/thread.ts',
      },
      // Optional, and loaded with the first call that needs them.
      external: ['@duckdb/node-api', 'unpdf'],
    },
    // What runs in QuickJS itself, in one file; its value is that of the last expression.
    {
      ...minified,
      entryPoints: { prelude: 'src/engine/quickjs/prelude/index.js' },
      format: 'iife',
      globalName: 'entries',
      // Nothing of it becomes a global of a script.
      banner: { js: '(()=>{' },
      footer: { js: 'return entries})()' },
      plugins: [],
      platform: 'neutral',
      target: 'es2023',
    },
    // With a copy of vscode-jsonrpc of its own, as the client has: see library-runtime.ts. zod stands in the declarations.
    {
      entryPoints: { 'protocol/index': 'src/protocol/index.ts', 'files/host': 'src/files/host.ts' },
      external: ['zod'],
    },
  ],
  [
    clientFolder,
    {
      // Not minified: its functions stand in the stack traces of its users.
      entryPoints: {
        index: 'src/index.ts',
        files: 'src/files.ts',
        'isolation/index': 'src/isolation/index.ts',
        peer: 'src/peer.ts',
        text: 'src/text.ts',
      },
      // From its sources, so that the metafile names what is built in.
      alias: {
        '@mustard-sandbox/daemon/protocol': join(daemonFolder, 'src/protocol/index.ts'),
        '@mustard-sandbox/daemon/files': join(daemonFolder, 'src/files/host.ts'),
      },
    },
  ],
  [
    toolFolder,
    {
      ...withPlace,
      entryPoints: { index: 'src/index.ts', host: 'src/host.ts', 'adapters/ai-sdk': 'src/adapters/ai-sdk.ts' },
      splitting: true,
      chunkNames: 'shared/[hash]',
      // acorn stands in the declarations.
      external: ['@mustard-sandbox/client', 'acorn', '@opentelemetry/api', 'ai'],
    },
  ],
  [
    mcpServerFolder,
    {
      // The protocol's library stands in the declarations, too. As modules, with zod, it takes a fifth of the start.
      ...minified,
      entryPoints: { index: 'src/index.ts' },
      external: ['@mustard-sandbox/agent-tool', '@mustard-sandbox/client'],
    },
  ],
  [
    bashToolsFolder,
    {
      entryPoints: {
        index: 'src/index.ts',
        'adapters/ai-sdk': 'src/adapters/ai-sdk.ts',
        'memory/worker': 'src/memory/worker.ts',
      },
      splitting: true,
      chunkNames: 'shared/[hash]',
      external: ['@mustard-sandbox/agent-tool', '@mustard-sandbox/client', '@vercel/sandbox', 'ai', 'just-bash'],
    },
  ],
  [
    remoteFolder,
    {
      ...minified,
      ...withRequire,
      entryPoints: { index: 'src/index.ts', server: 'src/server.ts' },
      splitting: true,
      chunkNames: 'shared/[hash]',
      external: [
        '@mustard-sandbox/client',
        '@mustard-sandbox/client/files',
        '@mustard-sandbox/client/peer',
        '@mustard-sandbox/agent-tool/host',
        // ws does without them.
        'bufferutil',
        'utf-8-validate',
      ],
    },
  ],
  [
    cliFolder,
    {
      // A run takes a quarter less processor time than as modules.
      ...withRequire,
      entryPoints: { main: 'src/main.ts', 'command-line': 'src/command-line.ts' },
      splitting: true,
      // Beside the others: what they read stands relative to them.
      chunkNames: 'chunk-[hash]',
      external: ['@mustard-sandbox/*', 'smol-toml'],
    },
  ],
  // The components stay modules, for the bundler of the host; the stylesheet is one file.
  [cardsFolder, { entryPoints: { styles: 'src/styles/index.css' } }],
];

/** Makes the bundles that are not what their sources say. */
export async function buildBundles() {
  for (const [folder, ...builds] of bundles) await buildBundle(folder, builds);
}

/**
 * @param {string} folder of the package
 * @param {import('esbuild').BuildOptions[]} builds
 */
async function buildBundle(folder, builds) {
  const stamp = join(folder, 'dist/.bundle.json');
  if (isFresh(stamp)) return;
  // Only here: it takes longer to load than to see that nothing changed.
  const { build } = await import('esbuild');
  /** @type {import('esbuild').BuildOptions & { metafile: true, write: false }} */
  const common = { absWorkingDir: folder, metafile: true, write: false, outdir: 'dist', legalComments: 'inline' };
  const built = await Promise.all(
    builds.map((options) => build({ ...bundleOptions, ...options, ...common, logLevel: 'warning' })),
  );
  const metafile = { inputs: Object.assign({}, ...built.map(({ metafile }) => metafile.inputs)) };
  const outputFiles = built.flatMap(({ outputFiles }) => outputFiles);
  // What is inlined is shipped: its notices go with it.
  const notices = join(folder, 'dist/THIRD-PARTY-LICENSES.txt');
  replaceFile(notices, thirdPartyLicenses(metafile, folder));
  const copied = folder === daemonFolder ? [copyQuickJS()] : [];
  for (const { path, contents } of outputFiles) replaceFile(path, isCompiled(path) ? withHash(contents) : contents);
  const inputs = Object.keys(metafile.inputs).map((path) => resolve(folder, path));
  writeStamp(stamp, [...inputs, ...ownFiles(), notices, ...copied, ...outputFiles.map(({ path }) => path)]);
}

/** The engine is WebAssembly, which no bundler takes in. */
function copyQuickJS() {
  const path = createRequire(join(daemonFolder, 'package.json')).resolve('quickjs-wasi/quickjs.wasm');
  const copy = join(daemonFolder, 'dist/quickjs.wasm');
  replaceFile(copy, readFileSync(path));
  return copy;
}

/**
 * With the hash of the bundle as its first line, by which a sidecar knows whether what was compiled is of this very bundle.
 *
 * @param {Uint8Array} contents
 */
function withHash(contents) {
  return Buffer.concat([Buffer.from(`//${createHash('sha256').update(contents).digest('hex')}\n`), contents]);
}

/** How bundles are made is among what they are made of. */
function ownFiles() {
  const here = fileURLToPath(new URL('.', import.meta.url));
  return readdirSync(here).map((name) => join(here, name));
}
