import ignore, { type Ignore } from 'ignore';
import { createHash } from 'node:crypto';
import { AgentError } from '../../shared/contract/index.ts';

/** The patterns of one `.gitignore`, and the folder that they start at: '' or `a/b/`. */
interface Rules extends Compiled {
  base: string;
}

interface Compiled {
  patterns: Ignore;
  /** Lines that are not followed: see `takeBounded`. */
  dropped: readonly string[];
}

/** Those of a file system that does not tell case apart. */
const ignorecase = process.platform === 'darwin' || process.platform === 'win32';
const maxKept = 1000;
/** How often a pattern may say "folders, however many". One with six takes the matcher minutes, for a path of 200 folders. */
const maxDeep = 2;
/** The time for all paths that are asked for at once. The matcher's work grows with the cube of a path's folders. */
const matchingMs = 3000;
/** Deeper than that nothing of an app is read or changed. */
const maxFolders = 200;
/** Compiled patterns by what they were compiled from: an app is read again and again. */
const kept = new Map<string, Compiled>();

/** What git would leave out: the patterns of a folder and of those that it lies in. */
export class GitIgnore {
  /** The deepest first: git asks them in this order, and the first that says something is right. */
  readonly #rules: readonly Rules[];
  /** Shared with those of the folders below. */
  readonly #spent: { ms: number };
  /** Where the paths begin that it is asked for: '' or `a/b/`. */
  readonly #start: string;

  constructor(rules: readonly Rules[] = [], spent = { ms: 0 }, start = '') {
    this.#rules = rules;
    this.#spent = spent;
    this.#start = start;
  }

  /** Lines that are not followed, for a person to be told. */
  get dropped(): readonly string[] {
    return this.#rules.flatMap(({ dropped }) => dropped);
  }

  /** @param folder '' or `a/b/` */
  within(folder: string, text: string): GitIgnore {
    return new GitIgnore([{ base: this.#start + folder, ...compiled(text) }, ...this.#rules], this.#spent, this.#start);
  }

  /** The same patterns, asked by paths that begin in a folder. @param folder '' or `a/b/` */
  below(folder: string): GitIgnore {
    return new GitIgnore(this.#rules, this.#spent, this.#start + folder);
  }

  /**
   * @param path with `/` at its end when it is a folder; the folders that it lies in must be taken
   * @throws {AgentError} `limit_exceeded` when the patterns of the app take too long
   */
  ignores(path: string): boolean {
    if (path.split('/', maxFolders + 2).length > maxFolders + 1) return true;
    if (this.#spent.ms > matchingMs) throw tooLong();
    const start = performance.now();
    try {
      return this.#says(path);
    } finally {
      this.#spent.ms += performance.now() - start;
    }
  }

  #says(path: string): boolean {
    for (const { base, patterns } of this.#rules) {
      const { ignored, unignored } = saidOf((this.#start + path).slice(base.length), patterns);
      if (unignored) return false;
      if (ignored) return true;
    }
    return false;
  }
}

function tooLong(): AgentError {
  const message = `The patterns of .gitignore in this app took over ${matchingMs / 1000} s to match its files, so they were given up. Look for a line with several "**".`;
  return new AgentError('limit_exceeded', message);
}

/** What the patterns say of this path alone: a folder that they ignore may have been taken in by a deeper `.gitignore`. */
function saidOf(path: string, patterns: Ignore): { ignored: boolean; unignored: boolean } {
  const said = patterns.test(path);
  const folders = said.ignored ? foldersOf(path) : [];
  const nearest = folders.at(-1);
  if (nearest === undefined || !patterns.test(nearest).ignored) return said;
  const taken = folders.map((folder) => `!/${folder.replaceAll(/[\\*?[]/g, '\\$&')}`);
  return ignore({ ignorecase }).add(patterns).add(taken).test(path);
}

/** `a/b/c` lies in `a/` and `a/b/`. */
function foldersOf(path: string): string[] {
  return [...path.slice(0, -1).matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1));
}

function compiled(text: string): Compiled {
  const key = createHash('sha256').update(text).digest('base64');
  const found = kept.get(key) ?? compile(text);
  kept.delete(key);
  kept.set(key, found);
  for (const oldest of kept.keys()) if (kept.size > maxKept) kept.delete(oldest);
  return found;
}

function compile(text: string): Compiled {
  const { patterns, dropped } = takeBounded(text.split(/\r?\n/));
  return { patterns: ignore({ ignorecase }).add(patterns), dropped };
}

/** The patterns that are matched in bounded time. Those of a stranger's `.gitignore` could stop the program otherwise. */
export function takeBounded(lines: readonly string[]): { patterns: string[]; dropped: string[] } {
  const patterns: string[] = [];
  const dropped: string[] = [];
  for (const line of lines) {
    // Several in a row mean the same as one.
    const pattern = line.replaceAll(/(?:\/\*{2,})+(?=\/)/g, '/**');
    const deep = pattern.split('/').slice(0, -1).filter(isDeep).length;
    const isBounded = deep <= maxDeep;
    if (isBounded) patterns.push(pattern);
    else dropped.push(line);
  }
  return { patterns, dropped };
}

/** A pattern that is matched in bounded time, by all that the whole one is matched by. */
export function beginningOf(pattern: string): string {
  const names = pattern.split('/');
  const deep = names.flatMap((name, index) => (isDeep(name) ? [index] : []));
  const end = deep[maxDeep];
  return end === undefined ? pattern : `${names.slice(0, end).join('/')}/**`;
}

function isDeep(name: string): boolean {
  return /^!?\*{2,}$/.test(name);
}
