// Which files git would not track.
import { FolderFiles } from '@mustard-sandbox/client/files';
import { GitIgnore } from '../context/gitignore.ts';
import { personsIgnoreFile } from './author.ts';

/** A list that is longer is no list. */
const maxRulesBytes = 1024 * 1024;

/** The rules of the person, of `.git/info/exclude` and of the app's own folder. */
export async function ignoreRules(app: string): Promise<GitIgnore> {
  const persons = new GitIgnore().within('', await personsIgnoreFile());
  return rulesWithin(persons.within('', textOf(app, '.git/info/exclude')), app, '');
}

/** With the rules of a folder below. @param folder relative to the app, with `/`; '' is the app */
export function rulesWithin(rules: GitIgnore, app: string, folder: string): GitIgnore {
  const base = folder === '' ? '' : `${folder}/`;
  const text = textOf(app, `${base}.gitignore`);
  return text === '' ? rules : rules.within(base, text);
}

/** Whether git would not track a file. @param path relative to the app, with `/` */
export async function isIgnored(app: string, path: string): Promise<boolean> {
  let rules = await ignoreRules(app);
  const folders = path.split('/').slice(0, -1);
  for (let count = 1; count <= folders.length; count++) {
    const folder = folders.slice(0, count).join('/');
    if (rules.ignores(`${folder}/`)) return true;
    rules = rulesWithin(rules, app, folder);
  }
  return rules.ignores(path);
}

/** '' when it is missing, a link or no plain file: git follows no links to it either. */
function textOf(app: string, path: string): string {
  try {
    return new FolderFiles(app, { refuseLinks: true }).read(path, maxRulesBytes, 'git').bytes.toString('utf8');
  } catch {
    return '';
  }
}
