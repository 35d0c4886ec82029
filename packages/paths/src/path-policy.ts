import { matchesAny, type DenyGlob } from './glob.ts';
import { isSecret } from './secret-names.ts';

/** A path that a script wrote, taken apart. `why` completes the sentence "<path> is refused: …". */
export type CheckedPath =
  { kind: 'root'; segments: string[] } | { kind: 'attachment'; name: string } | { kind: 'refused'; why: string };

/** What the path of an attachment begins with; its name follows. */
export const attachmentPrefix = 'attachments:';

/**
 * The start of the path of a file that an earlier script saved. A scope has the file among its attachments, under this
 * name.
 */
export const outputPrefix = 'outputs:';

const maxPathLength = 4096;

// The digits include the superscripts ¹²³, which Windows takes for 1 to 3 in these names.
const deviceName =
  /^(?:con|prn|aux|nul|com[1-9\u00b9\u00b2\u00b3]|lpt[1-9\u00b9\u00b2\u00b3]|conin\$|conout\$) *(?:\.|$)/i;

// PROGRA~1: an alias of a long name. The denylist holds long names only, so it would not match.
const shortName = /^[^.~]{1,7}~\d{1,6}(?:\.[^.]{0,3})?$/;

/**
 * Takes a script's path apart by its text alone, without touching a file. `.` segments and doubled or trailing `/` are
 * dropped. Names are neither normalised nor percent-decoded: `%2e%2e` and fullwidth dots are ordinary names.
 *
 * @param platform the system whose rules hold: Windows refuses more names, because it takes them for others
 */
export function checkPath(path: unknown, platform: NodeJS.Platform = process.platform): CheckedPath {
  if (typeof path !== 'string') return refused(`a path must be a string, not ${path === null ? 'null' : typeof path}`);
  if (path.startsWith(attachmentPrefix)) return { kind: 'attachment', name: path.slice(attachmentPrefix.length) };
  if (path.startsWith(outputPrefix)) return { kind: 'attachment', name: path };
  if (path === '') return refused("the path is empty; the root itself is '.'");
  if (path.length > maxPathLength) return refused(`the path is longer than ${maxPathLength} characters`);
  if (path.startsWith('/')) return refused('absolute paths are not allowed; write the path relative to the root');
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  for (const [index, segment] of segments.entries()) {
    const why = refusalOfName(segment, index === 0, platform);
    if (why !== undefined) return refused(why);
  }
  return { kind: 'root', segments };
}

/**
 * Why a script may not use this name in a path; `undefined` when it may. `first` means that it stands right below the
 * root.
 */
export function refusalOfName(name: string, first: boolean, platform: NodeJS.Platform): string | undefined {
  if (name === '..') return "'..' is not allowed; write the path from the root down";
  // A name on disk that is not Unicode is read with U+FFFD, so two such names may look the same.
  if (/[\p{Cc}\p{Cs}\ufffd]/u.test(name)) return 'control characters and broken Unicode are not allowed in a path';
  if (name.includes('\\')) return "backslashes are not allowed; separate folders by '/'";
  if (name.includes(':')) return `':' is not allowed in a path, except in ${attachmentPrefix}<name>`;
  if (first && name.startsWith('~')) return "'~' is not expanded; write the path relative to the root";
  if (deviceName.test(name)) return 'it names a Windows device';
  if (platform !== 'win32') return undefined;
  if (/[. ]$/.test(name)) return 'Windows drops dots and spaces at the end of a name; write the name without them';
  if (shortName.test(name)) return 'Windows short names are not allowed; write the name in full';
  return undefined;
}

function refused(why: string): CheckedPath {
  return { kind: 'refused', why };
}

/**
 * Whether a path relative to the root is denied. It is when one of its segments is on the built-in list of secrets, or
 * when a pattern of the caller matches. Callers check a path both as written and as resolved.
 */
export function isDenied(segments: readonly string[], deny: readonly DenyGlob[]): boolean {
  return isSecret(segments) || matchesAny(deny, segments);
}
