import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SandboxError } from '@mustard-sandbox/daemon/protocol';
import { outsideOfArchive } from './archive.ts';

/** The sidecar's executable. */
export const daemonMain = outsideOfArchive(createRequire(import.meta.url).resolve('@mustard-sandbox/daemon/main'));

const dist = dirname(daemonMain);
const manifest = join(dist, '../package.json');

/**
 * Without this, the folder that is not there would be told as a shell that is not there.
 *
 * @throws {SandboxError} `sidecar_unavailable` where the daemon is not on the disk
 */
export function assertInstalled(): void {
  if (existsSync(daemonMain) && existsSync(manifest)) return;
  throw new SandboxError(
    'sidecar_unavailable',
    'The sidecar could not be started: @mustard-sandbox/daemon is not on the disk. In an Electron application the ' +
      'packager must leave it, and @mustardscript/binding-*, outside of the archive (asarUnpack).',
  );
}

/**
 * Everything that a sidecar reads of its own installation, by the paths it will ask for: the daemon's bundle with its
 * manifest, and the engine's package where there is one.
 */
export function ownFiles(): string[] {
  return [dist, manifest, ...engineFolders()];
}

/** The engine's native code; none where it is not installed. */
export function engineAddons(): string[] {
  return engineFolders().map((folder) => createRequire(daemonMain).resolve(folder));
}

/**
 * Those of the daemon's optional dependencies, an engine for each platform, that are installed. As Node will find them,
 * before links are resolved: with pnpm they are links, and the sidecar looks at the link.
 */
function engineFolders(): string[] {
  const { optionalDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    optionalDependencies?: Record<string, string>;
  };
  const require = createRequire(daemonMain);
  return Object.keys(optionalDependencies).flatMap((name) => {
    const places = require.resolve.paths(name) ?? [];
    return places.map((place) => join(place, name)).find((folder) => existsSync(folder)) ?? [];
  });
}
