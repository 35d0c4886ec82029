import { fold } from '../glob.ts';
import { whyManifestRuns } from './manifest.ts';
import { runningNames } from './names.ts';

// A lenient file system drops dots and spaces at the end of a name.
const compiled = runningNames.map(({ why, names, byPrograms = false }) => ({
  why,
  byPrograms,
  pattern: new RegExp(`^(?:${names.join('|')})[. ]*$`, 's'),
}));
/** A folder with such a file may be a repository of its own, whose configuration names programs. */
const bareRepository = /^(?:head|commondir)[. ]*$/;
const manifest = /^package\.json[. ]*$/;
/** A short name, such as `GIT~1`, that Windows gives to a long name on some disks. */
const shortName = /^[^.~]{1,7}~\d{1,6}(?:\.[^.]{0,3})?$/;

/**
 * Why a person must allow a change of this file: because it runs by itself, as a hook, an editor's task or an install
 * script does, or because it tells an AI model what to do. `undefined` when neither is the case. Every tool that lets a
 * model write files uses this list.
 *
 * The path is judged by its text, so callers also pass the path after links are resolved. `package.json` is judged by
 * its content: only what is installed or run counts.
 *
 * @param path relative to the project, with `/`
 * @param after what the file will hold; `undefined` when that is not known, or when the file is removed
 * @param before what the file holds now
 * @returns a clause that completes "You are asked because …"
 */
export function whyItRuns(path: string, after?: string, before?: string): string | undefined {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  for (const segment of segments) {
    const name = fold(segment);
    const found = compiled.find(({ pattern }) => pattern.test(name));
    if (found !== undefined) return found.why;
    if (shortName.test(segment)) return 'on some disks such a short name stands for another, longer one';
  }
  const last = fold(segments.at(-1) ?? '');
  if (bareRepository.test(last))
    return 'git takes the folder of such a file for a repository, which may name programs to run';
  return manifest.test(last) ? whyManifestRuns(after, before) : undefined;
}

/**
 * Whether a command that no person was asked about may not leave a file or folder of this name. It may not if the file
 * runs by itself, and no ordinary program writes it.
 */
export function isHeldBack(name: string, isFolder: boolean): boolean {
  const folded = fold(name);
  return (
    (!isFolder && bareRepository.test(folded)) ||
    compiled.some(({ pattern, byPrograms }) => !byPrograms && pattern.test(folded))
  );
}
