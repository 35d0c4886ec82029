import { fileURLToPath } from 'node:url';
import { frozenPrototypes } from './frozen-prototypes.mjs';

const packageFolder = (name) => fileURLToPath(new URL(`../../packages/${name}/`, import.meta.url));

export const daemonFolder = packageFolder('sandbox-daemon');
export const clientFolder = packageFolder('sandbox-client');
export const toolFolder = packageFolder('agent-tool');
export const cardsFolder = packageFolder('cards');
export const bashToolsFolder = packageFolder('bash-tools');
export const mcpServerFolder = packageFolder('mcp-server');
export const remoteFolder = packageFolder('remote');
export const agentFolder = packageFolder('desktop-agent');

/** How esbuild makes one file of a package's sources. */
export const bundleOptions = {
  bundle: true,
  platform: /** @type {const} */ ('node'),
  format: /** @type {const} */ ('esm'),
  target: 'node20.19',
  plugins: [frozenPrototypes],
};
