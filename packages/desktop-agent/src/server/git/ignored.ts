// Which files git would not track.
import { FolderFiles } from '@mustard-sandbox/paths';
import { GitIgnore } from '../context/gitignore.ts';
import { personsIgnoreFile } from './author.ts';
import { foldersAbove, type Place } from './place.ts';
import type { Repository } from './repository.ts';

/** A list that is longer is no list. */
const maxRulesBytes = 1024 * 1024;

/** What git leaves out of an app, asked by paths relative to it. */
interface AppRules {
  rules: GitIgnore;
  /** Whether the app lies in a folder that git ignores, and in which it tracks files all the same. */
  isIgnored: boolean;
}

/** The rules of the person, of `.git/info/exclude`, of the folders above in the same repository, and of the app's own. */
export async function ignoreRules({ root, prefix, gitdir, app }: Repository): Promise<AppRules> {
  const persons = new GitIgnore().within('', await personsIgnoreFile(gitdir));
  const top = persons.within('', readRules(root, '.git/info/exclude'));
  const { rules, isIgnored } = rulesAbove({ root, prefix }, top);
  return { rules: rulesWithin(rules, app, ''), isIgnored };
}

/** Those of the folders above an app in its repository. @param top what is asked after them, by paths of the repository */
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

/** With the rules of a folder below. @param folder relative to `root`, with `/`; '' is that itself */
export function rulesWithin(rules: GitIgnore, root: string, folder: string): GitIgnore {
  const base = folder === '' ? '' : `${folder}/`;
  const text = readRules(root, `${base}.gitignore`);
  return text === '' ? rules : rules.within(base, text);
}

/** Tells of files whether git would not track them. Paths are relative to the app, with `/`. */
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

/** '' when it is missing, a link or no plain file: git follows no links to it either. */
function readRules(root: string, path: string): string {
  try {
    return new FolderFiles(root, { refuseLinks: true }).read(path, maxRulesBytes, 'git').bytes.toString('utf8');
  } catch {
    return '';
  }
}
