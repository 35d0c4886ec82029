import { createRequire } from 'node:module';

/**
 * The release of these packages. A snapshot continues only in a sidecar of the release that made it, because each
 * release has its own versions of the engines.
 */
export const release: string = (createRequire(import.meta.url)('../../package.json') as { version: string }).version;
