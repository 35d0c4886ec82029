/** How far back the repeated end of an answer is looked for, in characters. */
const reach = 4000;
/** So much that is no blank must be repeated to count as that: `}` and the like come again by themselves. */
const leastRepeated = { inLine: 4, wholeLines: 12 };

/**
 * Puts the continuation of an answer, which was cut off in a write, behind it.
 *
 * A model that is asked to go on often begins with what it wrote last: the opening tag of the file, a fence, and the last
 * lines or the half of one. The tag and the fence are dropped. Of what is repeated, the longest end of the answer that
 * begins at the start of a line and with which the continuation begins counts once, if it has 12 characters that are no
 * blanks, or 4 where it ends in the middle of a line. Less than that is taken for new text.
 */
export function joinContinuation(answer: string, continuation: string): string {
  const rest = withoutOpening(answer, continuation);
  const from = Math.max(0, answer.length - reach);
  const end = answer.slice(from);
  const least = end.endsWith('\n') ? leastRepeated.wholeLines : leastRepeated.inLine;
  for (let at = from === 0 ? 0 : end.indexOf('\n') + 1; at < end.length;) {
    const repeated = end.slice(at);
    if (rest.startsWith(repeated) && repeated.replaceAll(/\s/g, '').length >= least) {
      return answer + rest.slice(repeated.length);
    }
    const next = end.indexOf('\n', at);
    if (next === -1) break;
    at = next + 1;
  }
  return answer + rest;
}

/** Without the tag of the file that is open, if it begins anew. */
function withoutOpening(answer: string, continuation: string): string {
  const opening = /^\s*(?:```[\w-]*\n\s*)?<agent-(?:write|edit)\s[^>\n]{0,2000}>\r?\n?/.exec(continuation)?.[0];
  if (opening === undefined) return continuation.replace(/^```[\w-]*\r?\n/, '');
  const path = /\spath\s*=\s*["']?([^"'>]+)/.exec(opening)?.[1];
  const open = answer.slice(Math.max(answer.lastIndexOf('<agent-write'), answer.lastIndexOf('<agent-edit')));
  return path !== undefined && open.includes(path) ? continuation.slice(opening.length) : continuation;
}
