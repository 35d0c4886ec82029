import { inColumns, shorten } from '@mustard-sandbox/protocol';
import type { SourceLocation } from '@mustard-sandbox/client';

const maxLines = 6;
const maxWidth = 90;

/** The place in words: `at line 3`, or only the function when the engine does not know the line. */
export function describeLocation({ line, endLine, precision, functionName }: SourceLocation, script: string): string {
  const lines = line === endLine ? `line ${line}` : `lines ${line}-${endLine}`;
  if (precision === 'statement') return `at line ${line}`;
  if (functionName !== undefined) return `in function ${shorten(functionName, 60)}, ${lines}`;
  const all = script.trimEnd().split('\n').length;
  if (line === 1 && endLine >= all) return all === 1 ? 'in line 1' : `at the top level of the script, lines 1-${all}`;
  return `in the function in ${lines}`;
}

/** The failing code: the marked line. When the line is unknown, the whole function if it is short. */
export function showCode(location: SourceLocation, frame: string | undefined, script: string): string | undefined {
  const { line, endLine, precision } = location;
  if (precision === 'statement') return frame;
  if (endLine - line >= maxLines) return undefined;
  return numberedLines(script, line, endLine);
}

function numberedLines(script: string, first: number, last: number): string {
  const width = String(last).length;
  const lines = script.split('\n').slice(first - 1, last);
  return lines
    .map((text, index) => `${String(first + index).padStart(width)} | ${shorten(inColumns(text), maxWidth)}`.trimEnd())
    .join('\n');
}
