import { AgentError } from '../../shared/contract/index.ts';

/** What is looked for. */
export interface Query {
  text: string;
  /** Whether the text is a regular expression. */
  pattern: boolean;
  matchCase: boolean;
}

/** A line or a part of it with the match, in UTF-16 units. */
export interface Excerpt {
  text: string;
  start: number;
  end: number;
}

/** What is shown of a long line: before the match, and in all. */
const [before, most] = [60, 240];

/** The first match in a text, or `undefined`. @throws {AgentError} `invalid_request` for a pattern that is none */
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

/** Not between the two halves of one character. */
function atCharacter(text: string, index: number): number {
  const isHalf = index > 0 && index < text.length && /[\udc00-\udfff]/.test(text.charAt(index));
  return isHalf ? index - 1 : index;
}
