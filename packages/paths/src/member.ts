import type { PathCall } from './call.ts';
import { matchesAny } from './glob.ts';
import type { Files } from './open.ts';
import { checkPath, isDenied } from './path-policy.ts';
import { findInside, segmentsInside, type Tree } from './tree.ts';

/** Stands between the path of an archive and that of a file in it: `logs.zip!/app/server.log`. */
export const memberMark = '!/';

/** A path that leads into an archive, taken apart. */
export interface MemberPath {
  archive: string;
  /** Empty for all that is in it. */
  member: string;
}

/** `undefined` for a path that leads into no archive. */
export function memberPathOf(path: unknown): MemberPath | undefined {
  if (typeof path !== 'string') return undefined;
  const at = path.indexOf(memberMark);
  return at <= 0 ? undefined : { archive: path.slice(0, at), member: path.slice(at + memberMark.length) };
}

/** The segments of a name in an archive by the rules of a path; `undefined` for a name that no script may write. */
export function memberSegments(name: string): string[] | undefined {
  const checked = name.startsWith('/') ? undefined : checkPath(name);
  return checked?.kind === 'root' && checked.segments.length > 0 ? checked.segments : undefined;
}

/** Tells which files of one archive are denied. */
export type DeniedMembers = (segments: readonly string[]) => boolean;

/**
 * A file in an archive is denied as it would be if the archive were unpacked where it lies, or into a folder of its name.
 * Without a root, the names of secrets are.
 *
 * @param archive its path; the guard has let it through
 */
export function deniedMembers({ tree }: Files, archive: string, call: PathCall): DeniedMembers {
  const asked = checkPath(archive);
  if (asked.kind !== 'root' || tree === undefined) return (segments) => isDenied(segments, []);
  if (tree.whole === true) return () => false;
  const places = [asked.segments, realSegments(tree, asked.segments, call)];
  const bases = places.flatMap((place) => [place, place.slice(0, -1)]);
  return (segments) => isDenied(segments, []) || bases.some((base) => matchesAny(tree.deny, [...base, ...segments]));
}

function realSegments(tree: Tree, segments: readonly string[], call: PathCall): readonly string[] {
  return segmentsInside(tree, findInside(tree, segments, call).path) ?? segments;
}
