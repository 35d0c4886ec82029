import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SandboxError } from '@mustard-sandbox/daemon/protocol';
import { outsideOfArchive } from './archive.ts';

let found: string | undefined;

/** The folder of the sidecar's executable, where there is one: a command of the caller's needs none. */
export function daemonFolder(): string | undefined {
  const main = (found ??= lookUp());
  return main !== undefined && existsSync(main) ? dirname(main) : undefined;
}

/**
 * The sidecar's executable. Looked up with the first sidecar: a program that is badly packed must still load, and say
 * what is wrong with it.
 *
 * @throws {SandboxError} `sidecar_unavailable` where the daemon is not on the disk
 */
export function daemonMain(): string {
  const main = (found ??= lookUp());
  // Without this, the folder that is not there would be told as a shell that is not there.
  if (main !== undefined && existsSync(main) && existsSync(manifestOf(main))) return main;
  throw new SandboxError(
    'sidecar_unavailable',
    'The sidecar could not be started: @mustard-sandbox/daemon is not on the disk, or its dist/main.js is not. ' +
      'Install it beside the client. With a bundler, leave the packages @mustard-sandbox/* external: ' +
      'docs/embedding.md, "Bundlers", has the line for each. In an Electron application the ' +
      'packager must leave it, and @mustardscript/binding-*, outside of the archive (asarUnpack).',
  );
}

function lookUp(): string | undefined {
  try {
    return outsideOfArchive(createRequire(import.meta.url).resolve('@mustard-sandbox/daemon/main'));
  } catch {
    // Not installed, without its main.js, or the client is part of a bundle that has no place of its own.
    return undefined;
  }
}

const manifestOf = (main: string): string => join(dirname(main), '../package.json');

/**
 * Everything that a sidecar reads of its own installation, by the paths it will ask for: the daemon's bundle with its
 * manifest, and the engine's package where there is one.
 */
export function ownFiles(): string[] {
  const main = daemonMain();
  return [dirname(main), manifestOf(main), ...engineFolders()];
}

/** The engine's native code; none where it is not installed. */
export function engineAddons(): string[] {
  return engineFolders().map((folder) => createRequire(daemonMain()).resolve(folder));
}

/**
 * Those of the daemon's optional dependencies, an engine for each platform, that are installed. As Node will find them,
 * before links are resolved: with pnpm they are links, and the sidecar looks at the link.
 */
function engineFolders(): string[] {
  const { optionalDependencies = {} } = JSON.parse(readFileSync(manifestOf(daemonMain()), 'utf8')) as {
    optionalDependencies?: Record<string, string>;
  };
  const require = createRequire(daemonMain());
  return Object.keys(optionalDependencies).flatMap((name) => {
    const places = require.resolve.paths(name) ?? [];
    return places.map((place) => join(place, name)).find((folder) => existsSync(folder)) ?? [];
  });
}
