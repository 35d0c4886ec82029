import { hasAstral, patternFor, pointCounter, unitsBefore } from './regex-operations.ts';

/** A text that a loop goes over by its matches. */
interface Search {
  text: string;
  points: (units: number) => number;
}

/** What is open in each run: it goes with the run. */
const searches = new WeakMap<object, Map<number, Search>>();
/** Loops that were left early stay open: the oldest goes, and is opened again by who still needs it. */
const mostOpen = 8;
/** Of the matches that are given at a time. */
const mostLetters = 500_000;

/** Whether there are more, where to look for these, where the first one is; then the pieces. */
type Found = [isOpen: boolean, next: number, at: number, ...pieces: (string | undefined)[]];

export interface Question {
  source: string;
  flags: string;
  /** `null`: that of the search, which may be forgotten. */
  text: string | null;
  id: number;
  /** In code points, as all positions of the engine. */
  from: number;
  count: number;
  isIndexed: boolean;
  /** The engine's own regular expression. In a text with characters beyond 16 bits it sees others than V8. */
  isOwn: boolean;
  /** There may be more questions about the text. */
  isKept: boolean;
}

/** Matches some at a time, in pieces: a match, its groups, what is between it and the next one, and so on. */
export function findMatches(run: object, { text: given, id, from, ...question }: Question): Found | null {
  let open = searches.get(run);
  if (open === undefined) searches.set(run, (open = new Map<number, Search>()));
  const search = given === null ? open.get(id) : { text: given, points: pointCounter(given) };
  if (search === undefined || (question.isOwn && hasAstral(search.text))) return null;
  open.delete(id);
  const found = findSome(search, from, question);
  if (found[0] || question.isKept) open.set(id, search);
  for (const oldest of open.keys()) if (open.size > mostOpen) open.delete(oldest);
  return found;
}

function findSome(
  { text, points }: Search,
  from: number,
  { source, flags, count, isIndexed }: Pick<Question, 'source' | 'flags' | 'count' | 'isIndexed'>,
): Found {
  const pattern = patternFor(source, flags);
  const found: Found = [false, 0, 0];
  let end = unitsBefore(text, from);
  pattern.lastIndex = end;
  let letters = 0;
  for (let match; (match = pattern.exec(text)) !== null;) {
    const [whole] = match;
    if (found.length === 3) found[2] = points(match.index);
    else found.push(isIndexed ? text.slice(end, match.index) : '');
    for (let at = 0; at < match.length; at++) found.push(match[at]);
    end = match.index + whole.length;
    if (whole === '') pattern.lastIndex = after(text, end, pattern.unicode);
    letters += whole.length;
    if (--count > 0 && letters < mostLetters) continue;
    found[0] = pattern.lastIndex <= text.length;
    found[1] = points(pattern.lastIndex);
    break;
  }
  if (found.length > 3) found.push('');
  return found;
}

/** Where to go on behind a match of nothing. */
function after(text: string, at: number, isUnicode: boolean): number {
  return at + (isUnicode && (text.codePointAt(at) ?? 0) > 0xff_ff ? 2 : 1);
}
