import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  builtinNames,
  furtherLibraries,
  isShortage,
  libraryOf,
  resolvePackage,
  SandboxError,
  type BuiltinName,
} from '@mustard-sandbox/protocol';
import { outsideOfArchive } from './archive.ts';

let found: string | undefined;
/** The shortage of the machine that kept the last attempt from looking. */
let shortage: (Error & { code: string }) | undefined;

/** The folder of the sidecar's executable, if it exists. With a command of the caller it need not exist. */
export function daemonFolder(): string | undefined {
  const main = (found ??= lookUp());
  return main !== undefined && existsSync(main) ? dirname(main) : undefined;
}

/**
 * The sidecar's executable. It is looked up for the first sidecar and not on import, because a host that was packed
 * badly must load and report what is wrong.
 *
 * @throws {SandboxError} `sidecar_unavailable` if the daemon is not on the disk. A shortage that may pass is its
 * `cause`
 */
export function daemonMain(): string {
  const main = (found ??= lookUp());
  // Without this check, a missing folder would be reported as a missing shell.
  if (main !== undefined && existsSync(main) && existsSync(manifestOf(main))) return main;
  if (main === undefined && shortage !== undefined) throw noDescriptor(shortage);
  throw new SandboxError(
    'sidecar_unavailable',
    'The sidecar could not be started: @mustard-sandbox/daemon is not on the disk, or its dist/main.cjs is not. ' +
      'Install it beside the client. With a bundler, leave the packages @mustard-sandbox/* external: ' +
      'docs/embedding.md, "Bundlers", has the line for each. In an Electron application the ' +
      'packager must leave it, and @mustardscript/binding-*, outside of the archive (asarUnpack).',
  );
}

function lookUp(): string | undefined {
  shortage = undefined;
  try {
    return outsideOfArchive(resolvePackage('@mustard-sandbox/daemon/main', import.meta.url));
  } catch (error) {
    // The daemon is not installed, or is installed without its main.cjs, or the client is part of a bundle without a
    // path of its own.
    if (isShortage(error)) shortage = error;
    return undefined;
  }
}

function noDescriptor(cause: Error & { code: string }): SandboxError {
  const why = `this process cannot open a file (${cause.code})`;
  const how =
    'Close files and connections that are not needed, or raise the limit (ulimit -n). The next run tries again.';
  return new SandboxError('sidecar_unavailable', `The sidecar could not be started: ${why}. ${how}`, { cause });
}

const manifestOf = (main: string): string => join(dirname(main), '../package.json');

/**
 * Everything that a sidecar reads of its own installation, by the paths that it opens: the daemon's bundle with its
 * manifest, and the packages of the engine and of optional libraries, if installed.
 */
export function ownFiles(): string[] {
  const main = daemonMain();
  return [dirname(main), manifestOf(main), ...engineFolders(), ...libraryFolders()];
}

/**
 * The built-ins that a sidecar of this installation has. A built-in is left out if its optional library is not
 * installed where the sidecar looks for it. Only the sidecar finds out whether the library loads.
 */
export function installedBuiltins(platform: string = process.platform): BuiltinName[] {
  return builtinNames.filter((name) => {
    // The sidecar gives DuckDB files by their descriptors, for which Windows has no paths.
    if (libraryOf(name) === '@duckdb/node-api' && platform === 'win32') return false;
    const library = libraryOf(name);
    return library === undefined || (found ??= lookUp()) === undefined || folderOf(library, found) !== undefined;
  });
}

/** The optional libraries that are installed, and the packages that each of them needs. */
function libraryFolders(): string[] {
  const main = daemonMain();
  const found = new Set<string>();
  const add = (name: string, from: string): void => {
    const folder = folderOf(name, from);
    if (folder === undefined || found.has(folder)) return;
    found.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = readManifest(join(folder, 'package.json'));
    // Node resolves modules from the real folder of a package, so this does too.
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
      add(needed, join(realpathSync(folder), 'package.json'));
    }
  };
  for (const library of [...builtinNames.map(libraryOf), ...furtherLibraries])
    if (library !== undefined) add(library, main);
  return [...found];
}

/** Where Node finds a package from a file, before links are resolved. */
function folderOf(name: string, from: string): string | undefined {
  const places = createRequire(from).resolve.paths(name) ?? [];
  return places.map((place) => join(place, name)).find((folder) => existsSync(join(folder, 'package.json')));
}

interface Manifest {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
}

/** The paths of the engine's native code. Empty if it is not installed. */
export function engineAddons(): string[] {
  return engineFolders().map((folder) => resolvePackage(folder, daemonMain()));
}

/**
 * The folders of the daemon's optional dependencies that are installed: one engine for each platform. The paths are
 * those that Node finds before links are resolved, because with pnpm they are links, and the sidecar opens the link.
 */
function engineFolders(): string[] {
  const { optionalDependencies = {} } = readManifest(manifestOf(daemonMain()));
  return Object.keys(optionalDependencies).flatMap((name) => folderOf(name, daemonMain()) ?? []);
}
