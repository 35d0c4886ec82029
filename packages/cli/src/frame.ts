import { printable } from '@mustard-sandbox/protocol/text';
import { styled, widthOf } from './output.ts';

const indent = '  ';

interface Row {
  gutter: string;
  content: string;
  isMark: boolean;
}

/**
 * Formats the code frame of an error or a diagnostic for `stream`: indented, in colour, and each line cut to the width
 * of the terminal around the marked part.
 */
export function renderFrame(frame: string, stream: NodeJS.WriteStream): string {
  const rows = frame.split('\n').map(toRow);
  const gutterWidth = Math.max(...rows.map(({ gutter }) => gutter.length));
  const width = Math.max(20, widthOf(stream) - indent.length - gutterWidth - 1);
  const longest = Math.max(...rows.map(({ content }) => content.length));
  const mark = Math.max(0, rows.find(({ isMark }) => isMark)?.content.indexOf('^') ?? 0);
  // A third of the width shows the text before the mark.
  const start = longest <= width ? 0 : Math.max(0, Math.min(mark - Math.floor(width / 3), longest - width));
  return rows.map((row) => renderRow(row, start, width, stream)).join('\n');
}

function toRow(line: string): Row {
  const shown = printable(line);
  const [, gutter = '', content = ''] = /^( *\d* \|) ?(.*)$/.exec(shown) ?? [undefined, '', shown];
  return { gutter, content, isMark: !/\d/.test(gutter) };
}

function renderRow({ gutter, content, isMark }: Row, start: number, width: number, stream: NodeJS.WriteStream): string {
  const cut = isMark ? content.slice(start, start + width) : clip(content, start, width);
  const text = isMark ? styled(stream, 'red', cut) : cut;
  return `${indent}${styled(stream, 'dim', gutter)} ${text}`.trimEnd();
}

/** The part of `text` that fits, with a sign where something is left out. */
function clip(text: string, start: number, width: number): string {
  let cut = text.slice(start, start + width);
  if (start > 0 && cut !== '') cut = `…${cut.slice(1)}`;
  if (start + width < text.length) cut = `${cut.slice(0, -1)}…`;
  // The cut may have split a surrogate pair.
  return cut.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, ' ');
}
