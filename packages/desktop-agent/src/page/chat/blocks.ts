/**
 * Cuts markdown where a block surely ends, so that earlier blocks are not parsed again with each new word. The rendered
 * pieces, one below the other, look like the whole rendered text. Where that is not certain, there is no cut.
 */
export function blocksOf(text: string): string[] {
  // A link definition holds for the whole text, so the text cannot be split.
  if (/^ {0,3}\[[^\]]+\]:/m.test(text)) return [text];
  const blocks: string[] = [];
  let block: string[] = [];
  let fence = '';
  let isList = false;
  for (const line of text.split('\n')) {
    const isBlank = line.trim() === '';
    // After a blank line, a line that is neither indented nor an item ends the block.
    if (fence === '' && block.at(-1)?.trim() === '' && startsBlock(line) && !(isList && isItem(line))) {
      blocks.push(block.join('\n'));
      block = [];
      isList = false;
    }
    if (block.length === 0 && isBlank) continue;
    if (fence === '' && isItem(line)) isList = true;
    fence = fenceAfter(fence, line);
    block.push(line);
  }
  if (block.length > 0) blocks.push(block.join('\n'));
  return blocks;
}

function startsBlock(line: string): boolean {
  return /^\S/.test(line);
}

function isItem(line: string): boolean {
  return /^\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)/.test(line);
}

/** The fence that is open after the line; '' when there is none. */
function fenceAfter(open: string, line: string): string {
  // In items and quotes, the marks precede the fence.
  const [, mark, rest = ''] = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  if (mark === undefined) return open;
  if (open === '') return mark.startsWith('`') && rest.includes('`') ? '' : mark;
  return mark[0] === open[0] && mark.length >= open.length && rest.trim() === '' ? '' : open;
}
