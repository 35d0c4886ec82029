import { readFileSync } from 'node:fs';

/** The version of this package; for logs and messages. In a bundle of the host there is another manifest, or none. */
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
      // Not there: a bundle has its chunks one folder deeper.
    }
  }
  return 'bundled';
}
