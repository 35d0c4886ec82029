import { AgentError } from '../../shared/contract/index.ts';

/** A search. */
export interface Query {
  text: string;
  /** Whether the text is a regular expression. */
  pattern: boolean;
  matchCase: boolean;
}

/** A line or the part of it around the match, with the match's place in UTF-16 units. */
export interface Excerpt {
  text: string;
  start: number;
  end: number;
}

/** How many characters of a long line are shown before the match, and in all. */
const [before, most] = [60, 240];

/** Finds the first match in a line. @throws {AgentError} `invalid_request` for an invalid pattern */
export function matcherOf({ text, pattern, matchCase }: Query): (line: string) => Excerpt | undefined {
  const source = pattern ? text : text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  const expression = compile(source, matchCase ? 'u' : 'iu');
  return (line) => {
    const found = expression.exec(line);
    return found === null ? undefined : excerptOf(line, found.index, found.index + found[0].length);
  };
}

function compile(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    const why = (error as Error).message.replace(/^Invalid regular expression: /, '');
    throw new AgentError('invalid_request', `This is not a regular expression of JavaScript: ${why}`, { cause: error });
  }
}

function excerptOf(line: string, start: number, end: number): Excerpt {
  if (line.length <= most) return { text: line, start, end };
  const from = atCharacter(line, Math.max(0, start - before));
  const text = line.slice(from, atCharacter(line, from + most));
  return { text, start: start - from, end: Math.min(end - from, text.length) };
}

/** Moves an index that is between the two halves of a surrogate pair. */
function atCharacter(text: string, index: number): number {
  const isHalf = index > 0 && index < text.length && /[\udc00-\udfff]/.test(text.charAt(index));
  return isHalf ? index - 1 : index;
}
