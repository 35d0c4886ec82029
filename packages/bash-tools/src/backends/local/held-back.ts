import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { oneLine } from '@mustard-sandbox/protocol';
import { whyGitRuns, whyRepositoryRuns } from '../../approval/environment.ts';
import { gitFoldersIn, type GitFolder } from './git-folders.ts';
import { heldPathsIn, isRepository, putAside, type HeldPath } from './held-paths.ts';
import { isText, rawOf, shown } from './raw-paths.ts';
import { inside } from './toolchain.ts';

/** Checking more folders before each command takes long. A person is asked instead. */
const maxFolders = 5_000;
const maxHeld = 500;
const maxNamed = 5;
/** How many folders are checked in one turn of the event loop after a command, which may have made very many. */
const foldersATurn = 200;

/** Changes in the folder cannot be held back: it is too large, or a link leads to files that run by themselves. */
export class CannotHold extends Error {}

/**
 * Keeps a command that no person was asked about from changing files that run by themselves. Those that exist are
 * read-only for it, and those that it makes are put aside after it has ended. Within `.git` this covers what may name
 * programs; a commit still works.
 */
export class HeldBack {
  /** A raw path. */
  readonly #root: string;
  readonly #folder: string;
  readonly #home: string;
  readonly #before: readonly HeldPath[];
  readonly #gitBefore: readonly GitFolder[];

  /**
   * @param folder of the user, absolute and free of links
   * @param home of the commands
   * @throws {CannotHold}
   */
  constructor(folder: string, home: string) {
    this.#folder = folder;
    this.#root = rawOf(folder);
    this.#home = home;
    this.#before = upTo(maxFolders, heldPathsIn(this.#root)).flat();
    this.#gitBefore = this.#repositories.flatMap((path) => upTo(maxFolders, gitFoldersIn(this.#root, path)));
    const links = [
      ...this.#before.filter(({ isLink }) => isLink).map(({ path }) => path),
      ...this.#gitBefore.flatMap((git) => git.links),
    ];
    if (links[0] !== undefined) {
      throw new CannotHold(`${shown(links[0])} is a link, and the file that it leads to may run by itself`);
    }
    const held = [...this.#before, ...this.#gitBefore].map(({ path }) => path);
    const parts = this.#gitBefore.flatMap((git) => git.parts);
    if (held.length + parts.length > maxHeld) throw new CannotHold('too much in this folder may run by itself');
    const nameless = held.find((path) => !isText(path));
    if (nameless !== undefined) throw new CannotHold(`the name of ${shown(nameless)} is not text in UTF-8`);
  }

  /** Arguments of bwrap. They must come after those that mount the folder. */
  mounts(): string[] {
    const bind = (how: '--bind' | '--ro-bind', raw: string): string[] => {
      const path = shown(raw);
      return [how, join(this.#folder, path), join(inside.files, path)];
    };
    // A mounted folder cannot be renamed, so no other one can take its place.
    return [
      ...this.#before.filter((held) => !isRepository(held)).flatMap(({ path }) => bind('--ro-bind', path)),
      ...this.#gitBefore.flatMap(({ path }) => bind('--bind', path)),
      ...this.#gitBefore.flatMap(({ parts }) => parts.flatMap((path) => bind('--ro-bind', path))),
    ];
  }

  /**
   * Puts aside what the command has made. Returns a sentence for the model, or nothing when there was nothing to put
   * aside.
   *
   * @throws the error of the system when something cannot be put aside
   */
  async takeBack(): Promise<string[]> {
    const paths = [...(await this.#made()), ...(await this.#madeInGit())];
    const failed = paths.flatMap((path) => failureOf(() => putAside(join(this.#root, path))));
    // It throws only after all others are out of the way.
    if (failed.length > 0) throw failed[0];
    if (paths.length === 0) return [];
    const more = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : '';
    const named = oneLine(paths.slice(0, maxNamed).map(shown).join(', '));
    return [`Put aside, because it runs by itself and no person was asked: ${named}${more}. Ask the user.`];
  }

  async #made(): Promise<string[]> {
    const known = new Set(this.#before.map(({ inode }) => inode));
    const held = (await inTurns(heldPathsIn(this.#root))).flat();
    return held.filter((one) => !known.has(one.inode) && !this.#isPlain(one)).map(({ path }) => path);
  }

  /** What the command made in the repositories that existed before. */
  async #madeInGit(): Promise<string[]> {
    const known = new Set(this.#gitBefore.flatMap(({ parts }) => parts));
    const made: string[] = [];
    for (const repository of this.#repositories) {
      for (const { path, parts, links } of await inTurns(gitFoldersIn(this.#root, repository))) {
        const added = parts.filter((part) => !known.has(part) && !links.includes(part));
        made.push(...links, ...(added.length > 0 && this.#runs(path) ? added : []));
      }
    }
    return made;
  }

  get #repositories(): string[] {
    return this.#before.filter(isRepository).map(({ path }) => path);
  }

  /** Whether this is a repository as `git init` and `git clone` make it, which names no program. */
  #isPlain(held: HeldPath): boolean {
    if (!isRepository(held) || !isText(held.path)) return false;
    if (whyGitRuns(join(this.#folder, dirname(shown(held.path))), this.#home) !== undefined) return false;
    for (const { path, links } of gitFoldersIn(this.#root, held.path)) {
      // It has no submodules and no worktrees yet.
      if (path !== held.path || links.length > 0) return false;
    }
    return true;
  }

  #runs(git: string): boolean {
    return !isText(git) || whyRepositoryRuns(this.#folder, shown(git)) !== undefined;
  }
}

/** @throws {CannotHold} */
function upTo<T>(most: number, folders: Iterable<T>): T[] {
  const found: T[] = [];
  for (const folder of folders) {
    if (found.push(folder) > most) {
      throw new CannotHold('this folder is too large to look for what runs by itself');
    }
  }
  return found;
}

async function inTurns<T>(folders: Iterable<T>): Promise<T[]> {
  const found: T[] = [];
  for (const folder of folders) if (found.push(folder) % foldersATurn === 0) await nextTurn();
  return found;
}

function failureOf(act: () => void): unknown[] {
  try {
    act();
    return [];
  } catch (error) {
    return [error];
  }
}
