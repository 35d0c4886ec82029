/** How far back to look for the repeated end of an answer, in characters. */
const reach = 4000;
/** How many non-blank characters must be repeated to count, because `}` and the like recur by themselves. */
const leastRepeated = { inLine: 4, wholeLines: 12 };

/**
 * Joins an answer that was cut off in a write, and its continuation.
 *
 * A model that continues often begins with what it wrote last: the opening tag of the file, a fence, and the last lines or
 * half of one. The tag and the fence are dropped. Repeated text is found as the longest end of the answer that begins at the
 * start of a line and is also the beginning of the continuation. It is kept once if it has 12 non-blank characters, or 4 if
 * it ends in the middle of a line. A shorter repetition is taken for new text.
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

/** Removes a repeated opening tag of the open file. */
function withoutOpening(answer: string, continuation: string): string {
  const opening = /^\s*(?:```[\w-]*\n\s*)?<agent-(?:write|edit)\s[^>\n]{0,2000}>\r?\n?/.exec(continuation)?.[0];
  if (opening === undefined) return continuation.replace(/^```[\w-]*\r?\n/, '');
  const path = /\spath\s*=\s*["']?([^"'>]+)/.exec(opening)?.[1];
  const open = answer.slice(Math.max(answer.lastIndexOf('<agent-write'), answer.lastIndexOf('<agent-edit')));
  return path !== undefined && open.includes(path) ? continuation.slice(opening.length) : continuation;
}
