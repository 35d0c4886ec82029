import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Installed apart: `npm install --prefix test/mcp/fixtures/official`. */
const folder = new URL('fixtures/official/', import.meta.url);

/** A program of a package that is installed there. @param path below its `node_modules` */
export function official(path: string): string {
  return fileURLToPath(new URL(`node_modules/${path}`, folder));
}

/** Node 22, which the conformance suite and the inspector ask for. */
export const node22 = official('node/bin/node');

export const hasOfficial = existsSync(node22);
