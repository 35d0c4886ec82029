import { quote, SandboxError } from '@mustard-sandbox/protocol';

/** A deny pattern of the caller, split into segments, and each segment into code points. `**` stays whole. */
export interface DenyGlob {
  readonly plain: readonly Segment[];
  readonly folded: readonly Segment[];
}

type Segment = '**' | readonly string[];

/**
 * Compiles a deny pattern: `*` and `?` within a segment, `**` for any number of segments. A pattern without `/`, except
 * at its end, applies to a segment at any depth; one with `/` starts at the root. When it matches a folder, everything
 * below is denied too. Case never counts.
 *
 * @throws {SandboxError} `invalid_request` for a pattern that could silently deny less than its author expects
 */
export function compileDenyGlob(glob: string): DenyGlob {
  const why = problemOf(glob);
  if (why !== undefined) {
    throw new SandboxError('invalid_request', `scope.deny: the pattern ${quote(glob)} ${why}.`);
  }
  const anchored = glob.replace(/\/+$/, '').includes('/');
  const segments = glob.split('/').filter((segment) => segment !== '');
  const rooted = [...(anchored ? [] : ['**']), ...segments, '**'];
  return { plain: rooted.map((s) => split(lower(s))), folded: rooted.map((s) => split(fold(s))) };
}

/** Whether any of the patterns matches the path or a folder above it. */
export function matchesAny(globs: readonly DenyGlob[], segments: readonly string[]): boolean {
  if (globs.length === 0) return false;
  const plain = segments.map((segment) => [...lower(segment)]);
  // FAT drops dots and spaces at the end of a name, even under Linux.
  const folded = segments.map((segment) => [...fold(segment).replace(/[. ]+$/, '')]);
  return globs.some((glob) => matchesPath(glob.plain, plain) || matchesPath(glob.folded, folded));
}

export function lower(name: string): string {
  return name.toLowerCase();
}

/**
 * One form for all names that a lenient file system may treat as the same. APFS ignores case and normalisation; HFS+
 * also ignores invisible characters (`.g<U+200C>it` was CVE-2014-9390). NFKC folds more than both, so it may only deny
 * more.
 */
export function fold(name: string): string {
  const visible = name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  // Upper case comes first, because some letters become equal only there: the dotless i and i, the sharp s and ss.
  const folded = visible.toUpperCase().toLowerCase().normalize('NFKC');
  // The dotted capital I becomes an i with a dot above.
  return folded.replaceAll('i\u0307', 'i');
}

function problemOf(glob: string): string | undefined {
  if (/^\/*$/.test(glob)) return 'is empty';
  if (/\p{Cc}/u.test(glob)) return 'contains a control character';
  if (glob.includes('\\')) return "contains a backslash; separate folders by '/'";
  if (/[{}[\]]/.test(glob)) return "uses braces or brackets, which are not supported; write several patterns, or '?'";
  if (glob.startsWith('!')) return "starts with '!': nothing can be taken off the denylist";
  if (/^(~|[a-z]:)/i.test(glob)) return 'must be relative to the root';
  if (glob.split('/').some((segment) => segment === '.' || segment === '..'))
    return "contains '.' or '..' as a segment";
  return undefined;
}

function split(segment: string): Segment {
  return segment === '**' ? '**' : [...segment];
}

function matchesPath(pattern: readonly Segment[], path: readonly (readonly string[])[]): boolean {
  return matches(
    pattern,
    path,
    (item) => item === '**',
    (item, segment) => matches(item as readonly string[], segment, isStar, isSameCharacter),
  );
}

export const isStar = (item: string): boolean => item === '*';
export const isSameCharacter = (item: string, character: string): boolean => item === '?' || item === character;

/**
 * Matches wildcards by going back to the last star only, so it takes at most as many steps as pattern and text have
 * characters, multiplied. A RegExp of the same pattern takes exponential time on `*a*a*a*a*b`.
 */
export function matches<P, T>(
  pattern: readonly P[],
  text: readonly T[],
  star: (item: P) => boolean,
  one: (item: P, part: T) => boolean,
): boolean {
  let p = 0;
  let t = 0;
  let lastStar = -1;
  let resumeAt = 0;
  while (t < text.length) {
    if (p < pattern.length && star(pattern[p]!)) {
      lastStar = p++;
      resumeAt = t;
    } else if (p < pattern.length && one(pattern[p]!, text[t]!)) {
      p++;
      t++;
    } else if (lastStar >= 0) {
      p = lastStar + 1;
      t = ++resumeAt;
    } else {
      return false;
    }
  }
  while (p < pattern.length && star(pattern[p]!)) p++;
  return p === pattern.length;
}
