import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { sourceOf, type Overlay } from '../../context/overlay.ts';

/** The names in a folder. */
export interface Entries {
  files: string[];
  directories: string[];
}

/**
 * The file system as it would be with an overlay, for a compiler. Paths are absolute, with `/`. Nothing outside the app is
 * changed.
 */
export class ProposedFiles {
  readonly #base: string;
  readonly #overlay: Overlay;
  /** The written texts by path, relative to the app. */
  readonly #written: Map<string, string>;
  /** The contents that the overlay adds to folders, by path relative to the app. The app itself is ''. */
  readonly #added = new Map<string, Entries>();

  /** @param app absolute, free of links */
  constructor(app: string, overlay: Overlay) {
    this.#base = app.endsWith('/') ? app : `${app}/`;
    this.#overlay = overlay;
    this.#written = new Map(overlay.writes.map(({ path, content }) => [path, content]));
    for (const path of this.#written.keys()) this.#add(path, false);
    for (const { to } of overlay.renames) {
      const kind = this.#kindOf(to);
      if (kind !== undefined) this.#add(to, kind === 'folder');
    }
  }

  readFile(path: string): string | undefined {
    const inside = this.#inside(path);
    const written = inside === undefined ? undefined : this.#written.get(inside);
    if (written !== undefined) return written;
    const real = this.#real(path);
    try {
      return real === undefined ? undefined : readFileSync(real, 'utf8');
    } catch {
      return undefined;
    }
  }

  fileExists(path: string): boolean {
    const inside = this.#inside(path);
    if (inside !== undefined && this.#written.has(inside)) return true;
    const real = this.#real(path);
    return real !== undefined && statOf(real)?.isFile() === true;
  }

  directoryExists(path: string): boolean {
    const inside = this.#inside(path);
    if (inside !== undefined && this.#added.has(inside)) return true;
    const real = this.#real(path);
    return real !== undefined && statOf(real)?.isDirectory() === true;
  }

  entries(path: string): Entries {
    const found = { files: new Set<string>(), directories: new Set<string>() };
    const inside = this.#inside(path);
    const real = this.#real(path);
    for (const name of real === undefined ? [] : namesIn(real)) {
      const child = `${path === '/' ? '' : path}/${name}`;
      // The overlay may have deleted or moved it.
      if (this.#real(child) !== `${real === '/' ? '' : real}/${name}`) continue;
      const stats = statOf(`${real}/${name}`);
      if (stats?.isFile() === true) found.files.add(name);
      else if (stats?.isDirectory() === true) found.directories.add(name);
    }
    const added = inside === undefined ? undefined : this.#added.get(inside);
    for (const name of added?.files ?? []) found.files.add(name);
    for (const name of added?.directories ?? []) found.directories.add(name);
    return { files: [...found.files].sort(), directories: [...found.directories].sort() };
  }

  realpath(path: string): string {
    const real = this.#real(path);
    // A moved or new file has only its own path.
    if (real !== path) return path;
    try {
      return realpathSync.native(path).replaceAll('\\', '/');
    } catch {
      return path;
    }
  }

  /** The path relative to the app, '' for the app itself, `undefined` outside of it. */
  #inside(path: string): string | undefined {
    if (`${path}/` === this.#base) return '';
    return path.startsWith(this.#base) ? path.slice(this.#base.length).replace(/\/+$/, '') : undefined;
  }

  /** Where to read the files that the proposal leaves unchanged. */
  #real(path: string): string | undefined {
    const inside = this.#inside(path);
    if (inside === undefined || inside === '') return path;
    const source = sourceOf(inside, this.#overlay);
    return source === undefined ? undefined : this.#base + source;
  }

  #kindOf(inside: string): 'file' | 'folder' | undefined {
    const source = sourceOf(inside, this.#overlay);
    const stats = source === undefined ? undefined : statOf(this.#base + source);
    if (stats === undefined) return undefined;
    return stats.isDirectory() ? 'folder' : 'file';
  }

  /** Adds a path to its folder, and this folder to its own parent, and so on. */
  #add(path: string, isFolder: boolean): void {
    const at = path.lastIndexOf('/');
    const folder = at < 0 ? '' : path.slice(0, at);
    const known = this.#added.get(folder);
    const entries = known ?? { files: [], directories: [] };
    entries[isFolder ? 'directories' : 'files'].push(path.slice(at + 1));
    this.#added.set(folder, entries);
    if (known === undefined && folder !== '') this.#add(folder, true);
  }
}

function statOf(path: string): ReturnType<typeof statSync> {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
