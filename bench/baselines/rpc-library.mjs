import { createRequire } from 'node:module';

/** The JSON-RPC library that the sidecar uses, in the very version. */
const daemon = createRequire(new URL('../../packages/sandbox-daemon/package.json', import.meta.url));

/** @type {typeof import('vscode-jsonrpc/node')} */
export const rpc = daemon('vscode-jsonrpc/node');
