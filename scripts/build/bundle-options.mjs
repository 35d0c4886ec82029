import { fileURLToPath } from 'node:url';
import { frozenPrototypes } from './frozen-prototypes.mjs';
import { directImports, groundFloor } from './ground-floor.mjs';
import { lateModules } from './late-modules.mjs';

const packageFolder = (name) => fileURLToPath(new URL(`../../packages/${name}/`, import.meta.url));

export const protocolFolder = packageFolder('protocol');
export const pathsFolder = packageFolder('paths');
export const daemonFolder = packageFolder('sandbox-daemon');
export const clientFolder = packageFolder('sandbox-client');
export const toolFolder = packageFolder('agent-tool');
export const chartsFolder = packageFolder('charts');
export const cardsFolder = packageFolder('cards');
export const bashToolsFolder = packageFolder('bash-tools');
export const mcpServerFolder = packageFolder('mcp-server');
export const remoteFolder = packageFolder('remote');
export const cliFolder = packageFolder('cli');
export const agentFolder = packageFolder('desktop-agent');

/** How esbuild makes one file of a package's sources. */
export const bundleOptions = {
  bundle: true,
  platform: /** @type {const} */ ('node'),
  format: /** @type {const} */ ('esm'),
  target: 'node20.19',
  plugins: [groundFloor, frozenPrototypes, lateModules],
};

// Where the host makes CommonJS of it, a module has no address of its own but a file name.
const ownPlace = 'import.meta.url??__filename';

/** For a bundle as an ES module with libraries in CommonJS, which require Node's own modules. */
export const withRequire = {
  banner: { js: `import{createRequire as requireFor}from'node:module';const require=requireFor(${ownPlace});` },
};

/** For a bundle with libraries that ask for their place when they are loaded. */
export const withPlace = {
  define: { 'import.meta.url': 'ownPlace' },
  banner: { js: `const ownPlace=${ownPlace};` },
};

/**
 * For what runs in the sidecar. Node's loader of ES modules takes 1.3 MB and 10 ms of processor time, in the main thread
 * and in the watchdog's. And what is loaded in the middle of a request cannot wait for an import.
 */
export const commonJs = {
  format: /** @type {const} */ ('cjs'),
  outExtension: { '.js': '.cjs' },
  define: { 'import.meta.url': 'ownUrl' },
  banner: { js: "const ownUrl=require('node:url').pathToFileURL(__filename).href;" },
  plugins: [lateModules, directImports, groundFloor, frozenPrototypes],
  // Makes `require` of `import()`, which fails in what is compiled ahead: see compiled.ts of the daemon.
  supported: { 'dynamic-import': false },
};
