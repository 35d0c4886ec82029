// Which files git would not track.
import { FolderFiles } from '@mustard-sandbox/paths';
import { GitIgnore } from '../context/gitignore.ts';
import { personsIgnoreFile } from './author.ts';
import { foldersAbove, type Place } from './place.ts';
import type { Repository } from './repository.ts';

/** The largest list of patterns, in bytes. */
const maxRulesBytes = 1024 * 1024;

/** Tells which paths of an app git ignores. Paths are relative to the app. */
interface AppRules {
  rules: GitIgnore;
  /** Whether the app is in a folder that git ignores but in which it still tracks files. */
  isIgnored: boolean;
}

/** The rules of the person, of `.git/info/exclude`, of parent folders in the same repository, and of the app itself. */
export async function ignoreRules({ root, prefix, gitdir, app }: Repository): Promise<AppRules> {
  const persons = new GitIgnore().within('', await personsIgnoreFile(gitdir));
  const top = persons.within('', readRules(root, '.git/info/exclude'));
  const { rules, isIgnored } = rulesAbove({ root, prefix }, top);
  return { rules: rulesWithin(rules, app, ''), isIgnored };
}

/** The rules of an app's parent folders in its repository. @param top the rules with less weight, for repository paths */
export function rulesAbove(place: Place, top = new GitIgnore()): AppRules {
  const above = foldersAbove(place);
  let rules = top;
  let isIgnored = false;
  for (const [index, folder] of above.entries()) {
    rules = rulesWithin(rules, place.root, folder.slice(0, -1));
    isIgnored ||= rules.ignores(above[index + 1] ?? place.prefix);
  }
  return { rules: rules.below(place.prefix), isIgnored };
}

/** Adds the rules of a folder. @param folder relative to `root`, with `/`; '' is the root itself */
export function rulesWithin(rules: GitIgnore, root: string, folder: string): GitIgnore {
  const base = folder === '' ? '' : `${folder}/`;
  const text = readRules(root, `${base}.gitignore`);
  return text === '' ? rules : rules.within(base, text);
}

/** Returns a function that says whether git would ignore a file. Paths are relative to the app, with `/`. */
export async function ignoredBy(repository: Repository): Promise<(path: string) => boolean> {
  const { rules: top, isIgnored } = await ignoreRules(repository);
  const known = new Map<string, GitIgnore | 'ignored'>([['', isIgnored ? 'ignored' : top]]);
  const rulesOf = (folder: string): GitIgnore | 'ignored' => {
    const found = known.get(folder);
    if (found !== undefined) return found;
    const outer = rulesOf(folder.slice(0, Math.max(0, folder.lastIndexOf('/'))));
    const isOut = outer === 'ignored' || outer.ignores(`${folder}/`);
    const rules = isOut ? 'ignored' : rulesWithin(outer, repository.app, folder);
    known.set(folder, rules);
    return rules;
  };
  return (path) => {
    const rules = rulesOf(path.slice(0, Math.max(0, path.lastIndexOf('/'))));
    return rules === 'ignored' || rules.ignores(path);
  };
}

/** The text of a list; '' when it is missing, a link or not a plain file. git does not follow links there either. */
function readRules(root: string, path: string): string {
  try {
    return new FolderFiles(root, { refuseLinks: true }).read(path, maxRulesBytes, 'git').bytes.toString('utf8');
  } catch {
    return '';
  }
}
