import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Block {
  language: 'js' | 'sh';
  code: string;
  /** The line of the page that it begins at. */
  line: number;
  /** From the comment before it: `not run: WHY`, or `before each example`. */
  mark: string | undefined;
}

/** What can be run on a page, in order. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, 'docs', page), 'utf8');
  const found = text.matchAll(/(?:^<!-- (.+?) -->\n+)?^```(js|sh)\b[^\n]*\n([^]*?)\n```$/gm);
  return [...found].map(({ 0: all, 1: mark, 2: language, 3: code = '', index }) => ({
    language: language as Block['language'],
    code,
    line: text.slice(0, index + all.indexOf('```')).split('\n').length,
    mark,
  }));
}

/** The README of each package, by its path from `docs`. */
export const readmes = readdirSync(join(root, 'packages')).map((name) => `../packages/${name}/README.md`);

/** The pages whose examples have no test of their own, `test/docs/NAME.test.ts`. */
export const pages = readdirSync(join(root, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .filter((name) => !existsSync(join(root, 'test/docs', name.replace(/md$/, 'test.ts'))))
  .concat(readmes);

/** What the comments at the ends of lines say is printed: `// → text`, where … stands for anything. */
export function printed(code: string): RegExp | undefined {
  const lines = [...code.matchAll(/\/\/ → (.+)$/gm)].map(([, text]) => text as string);
  if (lines.length === 0) return undefined;
  const escaped = lines.map((line) => line.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('…', '[^\\n]*'));
  return new RegExp(`^${escaped.join('\n')}$`);
}
