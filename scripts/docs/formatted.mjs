import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from './source.mjs';

const prettier = createRequire(import.meta.url).resolve('prettier/package.json');
/** What a page depends on besides its text. */
const style = [prettier, join(root, '.prettierrc.json')].map((path) => readFileSync(path, 'utf8')).join('\0');

/**
 * A page as `npm run format` would leave it. What prettier made of the same text before is kept: all pages take it 4 s of
 * processor time, and hardly one of them changes between two runs of the tests.
 *
 * @param {string} text
 */
export async function formatted(text) {
  const hash = createHash('sha256').update(style).update('\0').update(text).digest('hex');
  const kept = join(root, 'node_modules/.cache/docs', `${hash}.md`);
  if (existsSync(kept)) return readFileSync(kept, 'utf8');
  const { format, resolveConfig } = await import('prettier');
  const page = await format(text, {
    ...(await resolveConfig(join(root, 'docs/reference/protocol.md'))),
    parser: 'markdown',
  });
  mkdirSync(dirname(kept), { recursive: true });
  writeFileSync(kept, page);
  return page;
}
