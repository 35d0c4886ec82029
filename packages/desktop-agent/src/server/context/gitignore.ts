import ignore, { type Ignore } from 'ignore';
import { createHash } from 'node:crypto';
import { AgentError } from '../../shared/contract/index.ts';

/** The patterns of one `.gitignore`, and the folder that they start at: '' or `a/b/`. */
interface Rules extends Compiled {
  base: string;
}

interface Compiled {
  patterns: Ignore;
  /** Lines that are not followed; see `takeBounded`. */
  dropped: readonly string[];
}

/** Whether patterns ignore case, as the file systems of these platforms do. */
const ignorecase = process.platform === 'darwin' || process.platform === 'win32';
const maxKept = 1000;
/** The most `**` in a pattern. With six of them the matcher takes minutes for a path of 200 folders. */
const maxDeep = 2;
/** The time for all paths of one reading. The matcher's work grows with the cube of the number of folders in a path. */
const matchingMs = 3000;
/** The most folders in a path. Nothing deeper is read or changed. */
const maxFolders = 200;
/** Compiled patterns by their text, because an app is read again and again. */
const kept = new Map<string, Compiled>();

/** What git would ignore, by the patterns of a folder and of its parents. */
export class GitIgnore {
  /** The deepest rules come first. Like git, the first one that matches decides. */
  readonly #rules: readonly Rules[];
  /** The time spent, which is shared with the rules of folders below. */
  readonly #spent: { ms: number };
  /** The folder in which asked paths begin: '' or `a/b/`. */
  readonly #start: string;

  constructor(rules: readonly Rules[] = [], spent = { ms: 0 }, start = '') {
    this.#rules = rules;
    this.#spent = spent;
    this.#start = start;
  }

  /** Lines that are not followed, to tell a person. */
  get dropped(): readonly string[] {
    return this.#rules.flatMap(({ dropped }) => dropped);
  }

  /** @param folder '' or `a/b/` */
  within(folder: string, text: string): GitIgnore {
    return new GitIgnore([{ base: this.#start + folder, ...compiled(text) }, ...this.#rules], this.#spent, this.#start);
  }

  /** The same patterns for paths that begin in a folder. @param folder '' or `a/b/` */
  below(folder: string): GitIgnore {
    return new GitIgnore(this.#rules, this.#spent, this.#start + folder);
  }

  /**
   * @param path with a `/` at the end for a folder; none of its parent folders may be ignored
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
  const message = `The patterns of .gitignore in this app took over ${matchingMs / 1000} s to match its files, so this was stopped. Look for a line with several "**".`;
  return new AgentError('limit_exceeded', message);
}

/** What the patterns say about this path alone. A deeper `.gitignore` may have taken in a folder that they ignore. */
function saidOf(path: string, patterns: Ignore): { ignored: boolean; unignored: boolean } {
  const said = patterns.test(path);
  const folders = said.ignored ? foldersOf(path) : [];
  const nearest = folders.at(-1);
  if (nearest === undefined || !patterns.test(nearest).ignored) return said;
  const taken = folders.map((folder) => `!/${folder.replaceAll(/[\\*?[]/g, '\\$&')}`);
  return ignore({ ignorecase }).add(patterns).add(taken).test(path);
}

/** The parent folders of a path: `a/` and `a/b/` for `a/b/c`. */
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

/** The patterns that can be matched in bounded time. Others, in a stranger's `.gitignore`, could stop the program. */
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

/** A pattern that can be matched in bounded time, and matches all that the whole pattern matches. */
export function beginningOf(pattern: string): string {
  const names = pattern.split('/');
  const deep = names.flatMap((name, index) => (isDeep(name) ? [index] : []));
  const end = deep[maxDeep];
  return end === undefined ? pattern : `${names.slice(0, end).join('/')}/**`;
}

function isDeep(name: string): boolean {
  return /^!?\*{2,}$/.test(name);
}
