// Finds what in an app would make a package manager do more than add packages of the registry.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FolderFiles } from '@mustard-sandbox/paths';
import { AgentError } from '../../shared/contract/index.ts';
import { foldersAbove, placeAround } from '../git/place.ts';

const lists = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
const replacements = ['overrides', 'resolutions'];
const lockfiles = ['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock'];
/** Versions from elsewhere than the registry. For these git would run, or a folder of this machine would be read. */
const elsewhere =
  /["'\s@](?:git\+[a-z]+:|git:|ssh:|git@|github:|gitlab:|bitbucket:|file:|link:|portal:|exec:)[^\s"',]*/i;
const lockedAddress = /(?:resolved|tarball)"?:?\s*"?https?:\/\/([^/\s"'#?]{1,200})/g;
const maxHosts = 20;
const maxNamed = 5;
const maxManifestBytes = 1024 * 1024;

/** The packages of a manifest with their versions, such as `react@19.3.1`. Peer dependencies are left out. */
export function packagesIn(manifest: string | undefined): string[] {
  const fields = Object.entries(parsed(manifest));
  const named = fields.filter(([name]) => lists.includes(name) && name !== 'peerDependencies');
  return named.flatMap(([, value]) => [...versionsIn(value, '')]).map(([name, spec]) => `${name}@${spec}`);
}

/** The servers that lockfiles name. The author of a lockfile may have named another one than the registry. */
export function hostsIn(textOf: (path: string) => string | undefined): string[] {
  const found = lockfiles.flatMap((path) => [...(textOf(path) ?? '').matchAll(lockedAddress)].map(([, host]) => host));
  return [...new Set(found.filter((host) => host !== undefined))].sort().slice(0, maxHosts);
}

/**
 * Refuses an app whose packages cannot be installed beside it, or whose installation would fetch more than packages of the
 * registry.
 *
 * @param app absolute
 * @param textOf the text of a file of the app, as the plan leaves it; `undefined` when there is none
 * @throws {AgentError} `denied`, with the reason
 */
export function refuseUninstallable(app: string, textOf: (path: string) => string | undefined): void {
  const manifest = parsed(textOf('package.json'));
  const why = layoutOf(app, manifest, textOf) ?? workspaceAbove(app) ?? foreignIn(manifest) ?? foreignInLocks(textOf);
  if (why === undefined) return;
  throw new AgentError('denied', `${why}, so no packages are added here. Add them in a terminal; nothing was changed.`);
}

/** The reason why an app is not a single package with its packages in `node_modules`. */
function layoutOf(app: string, manifest: object, textOf: (path: string) => string | undefined): string | undefined {
  if ('workspaces' in manifest) return 'package.json of this app has workspaces';
  if (/^packages:/m.test(textOf('pnpm-workspace.yaml') ?? '')) return 'pnpm-workspace.yaml of this app has packages';
  const manager = 'packageManager' in manifest ? String(manifest.packageManager) : '';
  const isBerry = existsSync(join(app, '.yarnrc.yml')) || /^__metadata:/m.test(textOf('yarn.lock') ?? '');
  if (isBerry || /^yarn@(?!1\.)/.test(manager)) return 'This app uses Yarn 2 or later';
  return undefined;
}

/** The workspace of an app. Its packages and lockfile are in a parent folder, which is not part of the app. */
function workspaceAbove(app: string): string | undefined {
  const place = placeAround(app);
  if (place === null) return undefined;
  for (const folder of foldersAbove(place)) {
    const files = new FolderFiles(place.root, { refuseLinks: true });
    const text = (name: string): string | undefined => textIn(files, folder + name);
    const isWorkspace = 'workspaces' in parsed(text('package.json')) || text('pnpm-workspace.yaml') !== undefined;
    if (isWorkspace) return `This app is a part of the workspace ${join(place.root, folder)}`;
  }
  return undefined;
}

function textIn(files: FolderFiles, path: string): string | undefined {
  try {
    return files.read(path, maxManifestBytes, 'install').bytes.toString('utf8');
  } catch {
    return undefined;
  }
}

function foreignIn(manifest: object): string | undefined {
  const fields: [string, unknown][] = Object.entries(manifest);
  const { pnpm } = manifest as { pnpm?: { overrides?: unknown } };
  const specs = [
    ...fields.filter(([name]) => [...lists, ...replacements].includes(name)),
    ['', pnpm?.overrides] as const,
  ];
  const foreign = specs.flatMap(([, value]) => [...versionsIn(value, '')]).filter(([, spec]) => !isOfRegistry(spec));
  if (foreign.length === 0) return undefined;
  const named = foreign.slice(0, maxNamed).map(([name, spec]) => `${name} (${spec.slice(0, 200)})`);
  return `package.json of this app has packages that are not from the registry: ${named.join(', ')}`;
}

/** All names with their versions. Overrides may be nested. */
function* versionsIn(value: unknown, name: string): Generator<[name: string, spec: string]> {
  if (typeof value === 'string') yield [name, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* versionsIn(inner, key);
}

/** Accepts `^1.2.3`, `latest`, `npm:other@1` and `$other`, but no address, folder or archive. */
function isOfRegistry(spec: string): boolean {
  const version = spec.trim().replace(/^npm:(?:@[\w.~-]+\/)?[\w.~-]+/, '');
  return !/[:/\\]|^\.|\.(?:tgz|tar|tar\.gz)$/i.test(version);
}

function foreignInLocks(textOf: (path: string) => string | undefined): string | undefined {
  for (const path of lockfiles) {
    const found = elsewhere.exec(textOf(path) ?? '')?.[0].slice(1);
    if (found !== undefined)
      return `${path} of this app has a package that is not from the registry: ${found.slice(0, 200)}`;
  }
  return undefined;
}

/** Parses a manifest. If this fails, the package manager refuses it anyway. */
function parsed(text: string | undefined): object {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
