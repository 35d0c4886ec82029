import ignore, { type Ignore } from 'ignore';
import { createHash } from 'node:crypto';

/** The patterns of one `.gitignore`, and the folder that they start at: '' or `a/b/`. */
interface Rules {
  base: string;
  patterns: Ignore;
}

/** Those of a file system that does not tell case apart. */
const ignorecase = process.platform === 'darwin' || process.platform === 'win32';
const maxKept = 1000;
/** Compiled patterns by what they were compiled from: an app is read again and again. */
const kept = new Map<string, Ignore>();

/** What git would leave out: the patterns of a folder and of those that it lies in. */
export class GitIgnore {
  /** The deepest first: git asks them in this order, and the first that says something is right. */
  readonly #rules: readonly Rules[];

  constructor(rules: readonly Rules[] = []) {
    this.#rules = rules;
  }

  /** @param folder '' or `a/b/` */
  within(folder: string, text: string): GitIgnore {
    return new GitIgnore([{ base: folder, patterns: compiled(text) }, ...this.#rules]);
  }

  /** @param path with `/` at its end when it is a folder; the folders that it lies in must be taken */
  ignores(path: string): boolean {
    for (const { base, patterns } of this.#rules) {
      const { ignored, unignored } = patterns.test(path.slice(base.length));
      if (unignored) return false;
      // It is said of the folder, too, when a deeper `.gitignore` took that in again.
      if (ignored && !this.#ignoresFolderOf(path, base, patterns)) return true;
    }
    return false;
  }

  #ignoresFolderOf(path: string, base: string, patterns: Ignore): boolean {
    const folder = path.slice(0, path.lastIndexOf('/', path.length - 2) + 1);
    return folder.length > base.length && patterns.test(folder.slice(base.length)).ignored;
  }
}

function compiled(text: string): Ignore {
  const key = createHash('sha256').update(text).digest('base64');
  const found = kept.get(key) ?? ignore({ ignorecase }).add(text);
  kept.delete(key);
  kept.set(key, found);
  for (const oldest of kept.keys()) if (kept.size > maxKept) kept.delete(oldest);
  return found;
}
