// Which files git would not track.
import { join } from 'node:path';
import { FolderFiles } from '@mustard-sandbox/client/files';
import { GitIgnore } from '../context/gitignore.ts';
import { personsIgnoreFile } from './author.ts';

/** A list that is longer is no list. */
const maxRulesBytes = 1024 * 1024;

/** The rules of the person, of `.git/info/exclude` and of the app's own folder. */
export async function ignoreRules(app: string): Promise<GitIgnore> {
  const persons = new GitIgnore().within('', await personsIgnoreFile(join(app, '.git')));
  return rulesWithin(persons.within('', textOf(app, '.git/info/exclude')), app, '');
}

/** With the rules of a folder below. @param folder relative to the app, with `/`; '' is the app */
export function rulesWithin(rules: GitIgnore, app: string, folder: string): GitIgnore {
  const base = folder === '' ? '' : `${folder}/`;
  const text = textOf(app, `${base}.gitignore`);
  return text === '' ? rules : rules.within(base, text);
}

/** Tells of files whether git would not track them. Paths are relative to the app, with `/`. */
export async function ignoredBy(app: string): Promise<(path: string) => boolean> {
  const top = await ignoreRules(app);
  const known = new Map<string, GitIgnore | 'ignored'>([['', top]]);
  const rulesOf = (folder: string): GitIgnore | 'ignored' => {
    const found = known.get(folder);
    if (found !== undefined) return found;
    const outer = rulesOf(folder.slice(0, Math.max(0, folder.lastIndexOf('/'))));
    const rules = outer === 'ignored' || outer.ignores(`${folder}/`) ? 'ignored' : rulesWithin(outer, app, folder);
    known.set(folder, rules);
    return rules;
  };
  return (path) => {
    const rules = rulesOf(path.slice(0, Math.max(0, path.lastIndexOf('/'))));
    return rules === 'ignored' || rules.ignores(path);
  };
}

/** '' when it is missing, a link or no plain file: git follows no links to it either. */
function textOf(app: string, path: string): string {
  try {
    return new FolderFiles(app, { refuseLinks: true }).read(path, maxRulesBytes, 'git').bytes.toString('utf8');
  } catch {
    return '';
  }
}
