import { compileFindGlob, isGlob, memberMark } from '@mustard-sandbox/paths';
import type { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import type { NamedFiles } from '../walk.ts';
import { memberNamed, openInArchive, type InArchive } from './in-archive.ts';

/**
 * The entries of a folder in an archive, sorted, as `list_files` gives those of one on the disk. What would be refused is
 * left out.
 *
 * @returns `undefined` for a path that leads into no archive
 * @throws {SandboxError} as `openInArchive`; `script_error` where there is no such folder
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
    // Says what it is, where it is none.
    memberNamed(within, call);
    throw call.denied('it is not a folder');
  }
  return [...entries].sort();
}

/**
 * The files in an archive that a pattern matches, as `find_files` gives those on the disk.
 *
 * @returns `undefined` for a pattern that leads into no archive
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
 * What a path in an archive names: a file, all files in a folder and below, or those that a pattern matches.
 *
 * @returns `undefined` for a path that leads into no archive
 * @throws {SandboxError} as `openInArchive`; `script_error` for what is missing
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

/** Those below the path, that a script may read. */
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
