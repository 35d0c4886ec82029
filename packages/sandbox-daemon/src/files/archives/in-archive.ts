import { quote, type SandboxError } from '@mustard-sandbox/protocol';
import {
  checkPath,
  deniedMembers,
  findInside,
  memberMark,
  memberPathOf,
  memberSegments,
  openFile,
  type DeniedMembers,
  type Files,
  type OpenFile,
} from '@mustard-sandbox/paths';
import type { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import type { Archive, Member } from './archive.ts';
import { bytesOfFile } from './bytes.ts';
import { openArchive } from './open-archive.ts';

/** The archive that a script's path leads into, open until it is disposed of. */
export interface InArchive extends Disposable {
  /** The path of the archive, as the script wrote it. */
  readonly path: string;
  readonly file: OpenFile;
  readonly archive: Archive;
  /** The segments of the path inside of the archive. */
  readonly segments: readonly string[];
  readonly isDenied: DeniedMembers;
}

/**
 * Opens the archive that a path such as `logs.zip!/server.log` leads into, through the one guard. Nothing is unpacked to the
 * disk.
 *
 * @returns `undefined` for any other path, such as that of a folder whose name ends in `!`
 * @throws {SandboxError} as `openFile`; `capability_denied` for a denied name inside, `script_error` for a file that is
 *   not an archive or is broken
 */
export function openInArchive(context: BuiltinContext, path: unknown, call: BuiltinCall): InArchive | undefined {
  const named = memberPathOf(path);
  if (named === undefined) return undefined;
  const { files } = context;
  const file = openUnlessFolder(files, named.archive, call);
  if (file === undefined) return undefined;
  try {
    const segments = segmentsOf(named.member, call);
    const isDenied = deniedMembers(files, named.archive, call);
    if (isDenied(segments)) throw call.denied('names like this are on the denylist');
    const archive = openArchive(bytesOfFile(file), file.stats, context, call);
    context.markRead(named.archive);
    return { path: named.archive, file, archive, segments, isDenied, [Symbol.dispose]: () => file[Symbol.dispose]() };
  } catch (error) {
    file[Symbol.dispose]();
    throw error;
  }
}

/** The file that the path names in its archive. @throws {SandboxError} `script_error`, `capability_denied` */
export function memberNamed({ archive, path, segments }: InArchive, call: BuiltinCall): Member {
  const name = segments.join('/');
  const member = archive.members.get(name);
  if (member?.refusal !== undefined) throw refusedMember(member.refusal, call);
  if (member !== undefined) return member;
  const isFolder = [...archive.members.keys()].some((key) => name === '' || key.startsWith(`${name}/`));
  if (isFolder) throw call.denied(`it is a folder; list_files(${call.shown}) shows what is in it`);
  const all = quote(`${path}${memberMark}`);
  throw call.failed(
    'NotFoundError',
    `No file ${quote(name)} in ${quote(path)}. list_files(${all}) shows what is there.`,
  );
}

function refusedMember(why: string, call: BuiltinCall): SandboxError {
  return call.failed('NotReadableError', `${call.shown} cannot be read: it is ${why}.`);
}

/** Opens the archive; `undefined` when a folder has its name and the mark. */
function openUnlessFolder(files: Files, archive: string, call: BuiltinCall): OpenFile | undefined {
  try {
    return openFile(files, archive, call);
  } catch (error) {
    if (isFolder(files, `${archive}!`, call)) return undefined;
    throw error;
  }
}

function isFolder({ tree }: Files, path: string, call: BuiltinCall): boolean {
  const asked = checkPath(path);
  if (asked.kind !== 'root' || tree === undefined) return false;
  try {
    return findInside(tree, asked.segments, call).kind === 'folder';
  } catch {
    return false;
  }
}

function segmentsOf(member: string, call: BuiltinCall): string[] {
  if (/^\/*$/.test(member)) return [];
  if (member.includes(memberMark)) throw call.denied('it leads into an archive within an archive, which is not read');
  const checked = checkPath(member);
  if (checked.kind === 'refused') throw call.denied(checked.why);
  const segments = memberSegments(member);
  if (segments === undefined) throw call.denied("':' is not allowed in the name of a file");
  return segments;
}
