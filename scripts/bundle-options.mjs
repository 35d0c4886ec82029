import { fileURLToPath } from 'node:url';

export const daemonFolder = fileURLToPath(new URL('../packages/sandbox-daemon/', import.meta.url));

/** How esbuild makes a program of the daemon's sources. */
export const bundleOptions = /** @type {const} */ ({
  absWorkingDir: daemonFolder,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  // vscode-jsonrpc and pino are CommonJS and require Node's own modules.
  banner: { js: "import{createRequire as requireFor}from'node:module';const require=requireFor(import.meta.url);" },
});
