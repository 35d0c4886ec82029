import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
  type BigIntStats,
} from 'node:fs';
import { join } from 'node:path';
import { isInside } from '@mustard-sandbox/paths';
import { chartEnding, isChartName } from '@mustard-sandbox/protocol';

/** Identifies a file by more than its inode, because a new file may get the inode of a removed one. */
type FileId = Pick<BigIntStats, (typeof identifying)[number]>;

const identifying = ['dev', 'ino', 'birthtimeNs', 'mtimeNs', 'size'] as const;

const appendFlags = constants.O_RDWR | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
/** How many files are listed, because a scope takes at most 10,000 attachments. */
const maxListed = 1_000;
const copiedBytes = 1024 * 1024;

/** A folder in which scripts of this process keep files. It only replaces files that it wrote itself. */
export class OutputFolder {
  readonly path: string;
  /** The files that were written here, by name. A file that a person has replaced since then no longer counts. */
  readonly #own = new Map<string, FileId>();

  /** @param path absolute. The folder is made when the first file is written */
  constructor(path: string) {
    this.path = path;
  }

  /**
   * The files that were written here and still exist, by name.
   *
   * @param roots link-free. If given, only files that a sidecar with these roots may read
   */
  list(roots?: readonly string[]): { name: string; path: string }[] {
    const names = [...this.#own.keys()].filter((name) => this.#isOwn(name));
    if (names.length === 0 || (roots !== undefined && !isInside(realpathSync.native(this.path), roots))) return [];
    return names.slice(0, maxListed).map((name) => ({ name, path: join(this.path, name) }));
  }

  make(): void {
    mkdirSync(this.path, { recursive: true });
  }

  /**
   * Gives a complete file its name. If another file has that name, a number is added: `a-2.csv`.
   *
   * @param temporary a file in this folder
   * @returns the name that the file now has
   */
  place(temporary: string, name: string): string {
    for (let number = 1; number <= 10_000; number++) {
      const free = number === 1 ? name : numbered(name, number);
      if (!nameUnlessTaken(temporary, join(this.path, free))) continue;
      this.#own.set(free, idOf(join(this.path, free)));
      return free;
    }
    throw Object.assign(new Error('no name is free'), { code: 'EEXIST' });
  }

  /** Replaces a file that was written here by a complete one. Returns false if the old one no longer exists. */
  replace(temporary: string, name: string): boolean {
    if (!this.#isOwn(name)) return false;
    renameSync(temporary, join(this.path, name));
    this.#own.set(name, idOf(join(this.path, name)));
    return true;
  }

  /**
   * Appends a whole file to one that was written here, or appends nothing. Returns false if that one no longer exists.
   */
  append(temporary: string, name: string): boolean {
    if (!this.#isOwn(name)) return false;
    const to = openSync(join(this.path, name), appendFlags);
    const from = openSync(temporary, 'r');
    try {
      const before = fstatSync(to, { bigint: true });
      if (!isSame(before, this.#own.get(name))) return false;
      try {
        copy(from, to);
      } catch (error) {
        ftruncateSync(to, Number(before.size));
        throw error;
      } finally {
        this.#own.set(name, fstatSync(to, { bigint: true }));
      }
      return true;
    } finally {
      closeSync(from);
      closeSync(to);
    }
  }

  #isOwn(name: string): boolean {
    const stats = lstatSync(join(this.path, name), { bigint: true, throwIfNoEntry: false });
    return stats?.isFile() === true && isSame(stats, this.#own.get(name));
  }
}

/** Returns false if the name is taken, by a file, a folder or a link. */
function nameUnlessTaken(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    // File systems such as FAT have no hard links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw error;
    return copyUnlessTaken(temporary, path);
  }
  rmSync(temporary, { force: true });
  return true;
}

function copyUnlessTaken(temporary: string, path: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return false;
  copyFileSync(temporary, path, constants.COPYFILE_EXCL);
  rmSync(temporary, { force: true });
  return true;
}

function copy(from: number, to: number): void {
  const buffer = Buffer.allocUnsafe(copiedBytes);
  for (let count = -1; count !== 0;) {
    count = readSync(from, buffer, 0, buffer.length, null);
    writeWhole(to, buffer.subarray(0, count));
  }
}

/** A write to a disk that fills up may write fewer bytes than it was given. */
export function writeWhole(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
}

function numbered(name: string, number: number): string {
  const dot = isChartName(name) ? name.length - chartEnding.length : name.lastIndexOf('.');
  return `${name.slice(0, dot)}-${number}${name.slice(dot)}`;
}

function idOf(path: string): FileId {
  return lstatSync(path, { bigint: true });
}

function isSame(one: FileId, other: FileId | undefined): boolean {
  return other !== undefined && identifying.every((fact) => one[fact] === other[fact]);
}
