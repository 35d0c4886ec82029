import { fileURLToPath } from 'node:url';

const packageFolder = (name) => fileURLToPath(new URL(`../../packages/${name}/`, import.meta.url));

export const daemonFolder = packageFolder('sandbox-daemon');
export const clientFolder = packageFolder('sandbox-client');
export const toolFolder = packageFolder('agent-tool');
export const mcpServerFolder = packageFolder('mcp-server');

/** How esbuild makes one file of a package's sources. */
export const bundleOptions = /** @type {const} */ ({
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
});
