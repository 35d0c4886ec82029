import { createHash } from 'node:crypto';

/**
 * A text that others wrote, as a part of a prompt. It ends with a mark made of its own content, so no content holds the mark
 * that ends it, whatever a hostile repository writes. The content itself stays as it is: a model copies what it changes.
 */
export function marked(tag: string, path: string, content: string): string {
  // 64 bits: nobody finds a content that holds its own.
  const mark = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const end = content === '' || content.endsWith('\n') ? '' : '\n';
  return `<${tag} path=${JSON.stringify(path)} mark="${mark}">\n${content}${end}</${tag} mark="${mark}">`;
}
