import { createHash } from 'node:crypto';

/**
 * A text of others as a part of a prompt. It ends with a mark that is computed from its content, so that a hostile repository
 * cannot write a content which contains this mark. The content is unchanged, because a model copies lines of it into edits.
 */
export function marked(tag: string, path: string, content: string): string {
  // With 64 bits, nobody can find a content that contains its own mark.
  const mark = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const end = content === '' || content.endsWith('\n') ? '' : '\n';
  return `<${tag} path=${JSON.stringify(path)} mark="${mark}">\n${content}${end}</${tag} mark="${mark}">`;
}
