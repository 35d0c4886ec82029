import { compileFindGlob, isGlob, memberMark } from '@mustard-sandbox/paths';
import type { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import type { NamedFiles } from '../walk.ts';
import { memberNamed, openInArchive, type InArchive } from './in-archive.ts';

/**
 * The sorted entries of a folder in an archive, in the form that `list_files` has for folders on the disk. Files that would
 * be refused are left out.
 *
 * @returns `undefined` for a path that does not lead into an archive
 * @throws {SandboxError} as `openInArchive`; `script_error` when there is no such folder
 */
export function listMembers(
  context: BuiltinContext,
  path: unknown,
  isRecursive: boolean,
  call: BuiltinCall,
): string[] | undefined {
  using within = openInArchive(context, path, call);
  if (within === undefined) return undefined;
  const { segments } = within;
  const files = filesIn(within, context);
  const entries = new Set<string>();
  for (const file of files) {
    const last = isRecursive ? file.length : segments.length + 1;
    for (let end = segments.length + 1; end <= last; end++) {
      entries.add(pathOf(within, file.slice(0, end)) + (end < file.length ? '/' : ''));
    }
  }
  if (entries.size === 0 && segments.length > 0) {
    // If there is no such name at all, this throws a better error.
    memberNamed(within, call);
    throw call.denied('it is not a folder');
  }
  return [...entries].sort();
}

/**
 * The files in an archive that match a pattern, in the form that `find_files` has for files on the disk.
 *
 * @returns `undefined` for a pattern that does not lead into an archive
 * @throws {SandboxError} as `openInArchive`; `invalid_request` for the pattern
 */
export function membersLike(context: BuiltinContext, glob: unknown, call: BuiltinCall): NamedFiles | undefined {
  using within = openInArchive(context, glob, call);
  if (within === undefined) return undefined;
  const compiled = compileFindGlob(`./${within.segments.join('/')}`);
  if ('problem' in compiled) throw call.invalid(`${call.name}: ${compiled.problem}.`);
  return found(
    within,
    filesIn({ ...within, segments: [] }, context).filter((file) => compiled.matches(file)),
  );
}

/**
 * The files that a path in an archive names: one file, all files below a folder, or those that match a pattern.
 *
 * @returns `undefined` for a path that does not lead into an archive
 * @throws {SandboxError} as `openInArchive`; `script_error` when nothing has this name
 */
export function membersNamedBy(context: BuiltinContext, where: unknown, call: BuiltinCall): NamedFiles | undefined {
  using within = openInArchive(context, where, call);
  if (within === undefined) return undefined;
  if (within.archive.members.has(within.segments.join('/'))) {
    return { paths: [where as string], unreadable: [], isSingle: true };
  }
  const files = filesIn(within, context);
  if (files.length > 0 || within.segments.length === 0) return found(within, files);
  if (isGlob(where as string)) return membersLike(context, where, call);
  memberNamed(within, call);
  throw call.notFound();
}

/** The files below the path that a script may read. */
function filesIn({ archive, segments, isDenied }: InArchive, { pace }: BuiltinContext): string[][] {
  const files: string[][] = [];
  const below = segments.map((segment) => `${segment}/`).join('');
  for (const [name, { refusal }] of archive.members) {
    pace.check();
    if (refusal !== undefined || !name.startsWith(below)) continue;
    const file = name.split('/');
    if (!isDenied(file)) files.push(file);
  }
  return files;
}

function found(within: InArchive, files: readonly string[][]): NamedFiles {
  return { paths: files.map((file) => pathOf(within, file)).sort(), unreadable: [], isSingle: false };
}

function pathOf({ path }: InArchive, segments: readonly string[]): string {
  return path + memberMark + segments.join('/');
}
