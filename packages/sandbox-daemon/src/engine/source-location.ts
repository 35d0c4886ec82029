import { Buffer } from 'node:buffer';
import { Script } from 'node:vm';
import { inColumns, type SourceLocation } from '@mustard-sandbox/protocol';

/** A half-open range of UTF-8 byte offsets, in the form of the engine. */
export interface Span {
  start: number;
  end: number;
}

interface Position {
  line: number;
  column: number;
}

/** Converts byte offsets to lines and columns. */
export function locate(
  source: string,
  span: Span,
  precision: SourceLocation['precision'],
  functionName?: string,
): SourceLocation {
  const bytes = Buffer.from(source);
  const from = positionAt(bytes, span.start);
  const to = positionAt(bytes, span.end);
  const location = { ...from, endLine: to.line, endColumn: to.column, precision };
  return functionName === undefined ? location : { ...location, functionName };
}

function positionAt(bytes: Buffer, offset: number): Position {
  const before = bytes.subarray(0, offset).toString().split('\n');
  return { line: before.length, column: (before.at(-1) as string).length + 1 };
}

interface SyntaxProblem {
  message: string;
  location: SourceLocation;
}

/**
 * The syntax error that V8 finds, because the compilers of the engines report less of its place. V8 only compiles the
 * script and never runs it. `undefined` when V8 finds nothing wrong.
 */
export function syntaxErrorOf(source: string): SyntaxProblem | undefined {
  const text = source.replace(/^#!/, '//');
  const plain = problemOf(text, 0, source);
  // V8 allows neither at the top level of a script.
  if (plain === undefined || !/\b(?:await|return)\b/.test(text)) return plain;
  const prefix = '(async () => {';
  const inFunction = problemOf(`${prefix}${text}\n})`, prefix.length, source);
  const ends = /^Unexpected token '[})]'$/.test(inFunction?.message ?? '') && plain.message === endOfInput;
  return ends ? plain : inFunction;
}

const endOfInput = 'Unexpected end of input';

/** @param before how many characters stand before the script in its first line */
function problemOf(text: string, before: number, source: string): SyntaxProblem | undefined {
  try {
    // oxlint-disable-next-line no-new -- compiling is the effect
    new Script(text, { filename: 'guest' });
    return undefined;
  } catch (error) {
    const { stack = '', message } = error instanceof SyntaxError ? error : { message: '' };
    const match = /^guest:(\d+)\n(.*)\n( *)(\^*)/.exec(stack);
    if (match === null) return undefined;
    const [, lineText, , indent, carets] = match as unknown as [string, string, string, string, string];
    const lines = source.split('\n');
    const isBehind = Number(lineText) > lines.length || carets === '';
    const line = isBehind ? lines.length : Number(lineText);
    const column = isBehind
      ? (lines.at(-1) as string).length + 1
      : Math.max(1, indent.length + 1 - (line === 1 ? before : 0));
    const location = {
      line,
      column,
      endLine: line,
      endColumn: column + Math.max(1, carets.length),
      precision: 'statement' as const,
    };
    return { message: isBehind ? endOfInput : message, location };
  }
}

const frameWidth = 120;

/**
 * The line before, the line, and a mark under the failing code:
 *
 *     2 | const rows = text.split('\n');
 *     3 | rows.map(parse).flt();
 *       | ^^^^^^^^^^^^^^^^^^^^^
 */
export function codeFrame(source: string, location: SourceLocation): string {
  const lines = source.split('\n');
  const text = lines[location.line - 1] ?? '';
  const endColumn = location.endLine === location.line ? location.endColumn : text.length + 1;
  // A line may be very long, as in minified code, so only the part around the mark is shown.
  const skipped = location.column > frameWidth - 20 ? location.column - 60 : 0;
  const width = String(location.line).length;
  const row = (label: string, content: string): string => `${label.padStart(width)} | ${content}`.trimEnd();
  const shown = (line: string): string => inColumns(line.slice(skipped, skipped + frameWidth));

  const frame = location.line > 1 ? [row(String(location.line - 1), shown(lines[location.line - 2] ?? ''))] : [];
  frame.push(row(String(location.line), shown(text)));
  const markStart = location.column - 1 - skipped;
  const markLength = Math.min(Math.max(1, endColumn - location.column), frameWidth - markStart);
  const tail = location.endLine > location.line ? ` … to line ${location.endLine}` : '';
  frame.push(row('', `${' '.repeat(markStart)}${'^'.repeat(Math.max(1, markLength))}${tail}`));
  return frame.join('\n');
}
