import { readFile, readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';

interface PageFile {
  mediaType: string;
  content: Buffer;
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
};

/** The files of the page by their address. No other file is served, because no path is ever made from an address. */
export class PageFiles {
  readonly #folder: string;
  readonly #names: ReadonlySet<string>;

  private constructor(folder: string, names: ReadonlySet<string>) {
    this.#folder = folder;
    this.#names = names;
  }

  static async of(folder: string): Promise<PageFiles> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && extname(entry.name) in mediaTypes);
    const names = files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length));
    return new PageFiles(folder, new Set(names.map((name) => name.replaceAll('\\', '/'))));
  }

  /** @param path the path of an address; `/` is the page itself */
  async read(path: string): Promise<PageFile | undefined> {
    const name = path === '/' ? '/index.html' : path;
    if (!this.#names.has(name)) return undefined;
    return { mediaType: mediaTypes[extname(name)]!, content: await readFile(join(this.#folder, name)) };
  }
}
