import { readFileSync } from 'node:fs';

/**
 * The version of this package, for logs and messages. In a bundle of the host the manifest is a different one, or is
 * missing.
 */
export const ownVersion = readVersion();

function readVersion(): string {
  for (const manifest of ['../package.json', '../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(manifest, import.meta.url), 'utf8')) as {
        name: string;
        version: string;
      };
      if (name === '@mustard-sandbox/remote') return version;
    } catch {
      // It is not there, because a bundle has its chunks one folder deeper.
    }
  }
  return 'bundled';
}
