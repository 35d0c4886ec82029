import { realpathSync } from 'node:fs';
import { FolderFiles } from '@mustard-sandbox/paths';
import type { ContextGlobs } from '../../shared/contract/index.ts';
import { compileGlobs } from './chosen.ts';
import { byAge, cutAt, cutFor, isAfter, type Cut } from './fit.ts';
import type { ContextLimits } from './limits.ts';
import { placeAfter, type Overlay } from './overlay.ts';
import { TextCache, type Text } from './text-cache.ts';
import { rulesAround, walk, type Found } from './walk.ts';

/** Paths of all files that git does not ignore. */
export interface FileNames {
  files: string[];
  /** Whether there are more files. */
  truncated: boolean;
}

/** One file of an app, as a prompt gets it. */
export interface ReadFile {
  path: string;
  bytes: number;
  content: Text;
}

export interface Omitted {
  path: string;
  bytes: number;
  why: 'too-large' | 'binary' | 'limit';
}

export interface Reading {
  /** The files, the least recently changed first and proposed ones last. */
  files: ReadFile[];
  omitted: Omitted[];
  /** False when there are more files than one walk visits. */
  complete: boolean;
}

export interface ReadOptions {
  globs: ContextGlobs;
  limits: ContextLimits;
  overlay: Overlay;
}

/** Reads the files of one app for prompts, and keeps them until they change. */
export class AppReader {
  readonly #appPath: string;
  readonly #files: FolderFiles;
  readonly #texts: TextCache;
  /** Where the files were cut last time, by selection of files, because each selection has its own limit. */
  readonly #cuts = new Map<string, Cut | undefined>();

  /** @throws raw errors of the file system when the folder is not there */
  constructor(appPath: string) {
    this.#appPath = realpathSync.native(appPath);
    this.#files = new FolderFiles(this.#appPath, { refuseSecrets: true });
    this.#texts = new TextCache(this.#files);
  }

  read({ globs, limits, overlay }: ReadOptions): Reading {
    const takes = compileGlobs(globs);
    const { found, complete } = this.#walk();
    const omitted: Omitted[] = [];
    const proposed = readProposed(overlay, takes, limits, omitted);
    const room = limits.totalBytes - proposed.reduce((sum, { bytes }) => sum + bytes, 0);
    const key = JSON.stringify([globs, limits]);
    const files = this.#readFound(found.flatMap(after(overlay, takes)), { ...limits, totalBytes: room }, key, omitted);
    return { files: [...files, ...proposed], omitted, complete };
  }

  #walk(): ReturnType<typeof walk> {
    return walk(this.#files, undefined, rulesAround(this.#appPath));
  }

  /** The paths of all files, sorted, whatever their contents are. */
  names(limit: number): FileNames {
    const { found, complete } = this.#walk();
    const files = found.map(({ path }) => path).sort((a, b) => (a < b ? -1 : 1));
    return { files: files.slice(0, limit), truncated: !complete || files.length > limit };
  }

  #readFound(found: Found[], { fileBytes, totalBytes }: ContextLimits, key: string, omitted: Omitted[]): ReadFile[] {
    const fits = ({ stats }: Found): boolean => stats.size <= fileBytes;
    const byTime = found.filter(fits).sort((a, b) => byAge(cutAt(a), cutAt(b)));
    const cut = cutFor(byTime, totalBytes, this.#cuts.get(key));
    this.#cuts.set(key, cut);
    const leaveOut = ({ path, stats }: Found, why: Omitted['why']): void => {
      omitted.push({ path, bytes: stats.size, why });
    };
    for (const file of found) if (!fits(file)) leaveOut(file, 'too-large');
    const files: ReadFile[] = [];
    for (const file of byTime) {
      if (!isAfter(file, cut)) {
        leaveOut(file, 'limit');
        continue;
      }
      const content = this.#texts.get(file.source, file.stats);
      if (content === 'binary') leaveOut(file, 'binary');
      else if (content !== undefined) files.push({ path: file.path, bytes: file.stats.size, content });
    }
    this.#texts.trim();
    return files;
  }
}

/** Moves a file to its place in the overlay, and drops it if the overlay deletes or writes it. */
function after(overlay: Overlay, takes: (path: string) => boolean): (file: Found) => Found[] {
  const written = new Set(overlay.writes.map(({ path }) => path));
  return (file) => {
    const path = placeAfter(file.path, overlay);
    return path === undefined || written.has(path) || !takes(path) ? [] : [{ ...file, path }];
  };
}

function readProposed(
  { writes }: Overlay,
  takes: (path: string) => boolean,
  { fileBytes, totalBytes }: ContextLimits,
  omitted: Omitted[],
): ReadFile[] {
  const files: ReadFile[] = [];
  let room = totalBytes;
  for (const { path, content } of writes.filter((write) => takes(write.path))) {
    const bytes = Buffer.byteLength(content);
    if (bytes <= Math.min(fileBytes, room)) {
      room -= bytes;
      files.push({ path, bytes, content: { text: content } });
    } else {
      omitted.push({ path, bytes, why: bytes > fileBytes ? 'too-large' : 'limit' });
    }
  }
  return files;
}
