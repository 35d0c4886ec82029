// Bundles the packages that are loaded as a whole: a few files load in a fraction of the time that zod and ours take as
// modules. And in its jail the sidecar sees its own files and the engine, but no node_modules.
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  bashToolsFolder,
  bundleOptions,
  cardsFolder,
  chartsFolder,
  cliFolder,
  clientFolder,
  commonJs,
  daemonFolder,
  mcpServerFolder,
  pathsFolder,
  protocolFolder,
  remoteFolder,
  toolFolder,
  withPlace,
  withRequire,
} from './bundle-options.mjs';
import { isCompiled } from './compiled.mjs';
import { quickJSImage } from './quickjs-image.mjs';
import { replaceFile } from './replace.mjs';
import { isFresh, writeStamp } from './stamp.mjs';
import { thirdPartyLicenses } from './third-party-licenses.mjs';

/** What runs in QuickJS itself, in one file. */
const prelude = join(daemonFolder, 'dist/prelude.js');

const minified = { minifySyntax: true, minifyWhitespace: true };

/** @type {[folder: string, ...builds: import('esbuild').BuildOptions[]][]} */
const bundles = [
  [
    protocolFolder,
    {
      // With a copy of vscode-jsonrpc of its own, as the client has: see library-runtime.ts. zod stands in the declarations.
      entryPoints: { index: 'src/index.ts', sidecar: 'src/sidecar.ts' },
      splitting: true,
      chunkNames: 'shared/[hash]',
      external: ['zod'],
    },
    // For pages, too: one file each, with nothing of Node.
    { entryPoints: { builtins: 'src/builtins.ts', chart: 'src/chart.ts', rows: 'src/rows.ts', text: 'src/text.ts' } },
  ],
  [pathsFolder, { entryPoints: { index: 'src/index.ts' } }],
  [
    chartsFolder,
    // With the library that draws: whoever shows cards installs no more for it. The page's part has nothing of Node.
    { minify: true, entryPoints: { index: 'src/index.ts' }, platform: 'browser', target: 'es2022' },
    // Without white space its `export` stands behind a brace, where tools that look for it take the file for CommonJS.
    // What makes a PNG of a drawing is optional, and loaded with the first one.
    { minifySyntax: true, entryPoints: { files: 'src/files.ts' }, external: ['canvaskit-wasm'] },
  ],
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
      external: ['@duckdb/node-api', 'sql.js', 'unpdf'],
    },
    // The prelude. Its value is that of the last expression.
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
  ],
  [
    clientFolder,
    {
      // Not minified: its functions stand in the stack traces of its users.
      entryPoints: {
        index: 'src/index.ts',
        'isolation/index': 'src/isolation/index.ts',
        peer: 'src/peer.ts',
        seal: 'src/seal.ts',
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
      // The gateway and HTTP apart: who serves scripts over files on stdio loads neither code mode nor a web server.
      entryPoints: {
        index: 'src/index.ts',
        'gateway/index': 'src/gateway/index.ts',
        'http/index': 'src/http/index.ts',
      },
      splitting: true,
      // Beside the entry: app.ts reads its page relative to where it stands.
      chunkNames: 'chunk-[hash]',
      external: [
        '@mustard-sandbox/agent-tool',
        '@mustard-sandbox/charts',
        '@mustard-sandbox/client',
        '@mustard-sandbox/code-mode',
        '@mustard-sandbox/remote',
        'jose',
      ],
    },
  ],
  [
    bashToolsFolder,
    {
      entryPoints: {
        index: 'src/index.ts',
        'adapters/ai-sdk': 'src/adapters/ai-sdk.ts',
        'backends/memory/worker': 'src/backends/memory/worker.ts',
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
      entryPoints: { index: 'src/index.ts', server: 'src/server.ts', door: 'src/door.ts' },
      splitting: true,
      chunkNames: 'shared/[hash]',
      external: [
        '@mustard-sandbox/client',
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
  const outputs = await Promise.all(outputFiles.map(shippedOf));
  for (const { path, contents } of outputs) replaceFile(path, contents);
  const inputs = Object.keys(metafile.inputs).map((path) => resolve(folder, path));
  writeStamp(stamp, [...inputs, ...ownFiles(), notices, ...outputs.map(({ path }) => path)]);
}

/** What becomes of a bundle: the prelude is shipped within the engine that has run it. @param {import('esbuild').OutputFile} file */
async function shippedOf({ path, contents }) {
  if (path === prelude) {
    return {
      path: join(daemonFolder, 'dist/quickjs.wasm'),
      contents: await quickJSImage(Buffer.from(contents).toString()),
    };
  }
  return { path, contents: isCompiled(path) ? withHash(contents) : contents };
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
