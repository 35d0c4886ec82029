import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The sidecar's executable. */
export const daemonMain = createRequire(import.meta.url).resolve('@mustard-sandbox/daemon/main');

const dist = dirname(daemonMain);
const manifest = join(dist, '../package.json');

/**
 * Everything that a sidecar reads of its own installation, by the paths it will ask for: the daemon's bundle with its
 * manifest, and the engine's package where there is one.
 */
export function ownFiles(): string[] {
  const engine = engineFolder();
  return [dist, manifest, ...(engine === undefined ? [] : [engine])];
}

/** The engine's native code, or `undefined` where it is not installed. */
export function engineAddon(): string | undefined {
  const folder = engineFolder();
  return folder && createRequire(daemonMain).resolve(folder);
}

/**
 * The one of the daemon's optional dependencies, an engine for each platform, that is installed. As Node will find it,
 * before links are resolved: with pnpm it is a link, and the sidecar looks at the link.
 */
function engineFolder(): string | undefined {
  const { optionalDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    optionalDependencies?: Record<string, string>;
  };
  const require = createRequire(daemonMain);
  const candidates = Object.keys(optionalDependencies).flatMap((name) =>
    (require.resolve.paths(name) ?? []).map((place) => join(place, name)),
  );
  return candidates.find((folder) => existsSync(folder));
}
