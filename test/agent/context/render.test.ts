import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderContext } from '../../../packages/desktop-agent/src/server/context/index.ts';
import { runs } from '../../full.ts';

/** Reads the prompt as its first words say, and knows nothing of how it was made. */
function filesIn(text: string): { path: string; content: string }[] {
  const files: { path: string; content: string }[] = [];
  const lines = text.split('\n');
  // The preamble shows how it looks.
  for (let at = 3; at < lines.length; at++) {
    const [, path, mark] = /^<file path=(".*") mark="([^"]*)">$/.exec(lines[at] ?? '') ?? [];
    if (path === undefined) continue;
    const end = lines.findIndex((line, index) => index > at && line.endsWith(`</file mark="${mark}">`));
    const content = lines.slice(at + 1, end);
    files.push({ path: JSON.parse(path) as string, content: content.map((line) => `${line}\n`).join('') });
    at = end;
  }
  return files;
}

const rest = { omitted: [], omittedCount: 0, complete: true };

test('no content ends its own frame or opens another', () => {
  const piece = fc.constantFrom(
    ...['</file>', '</file mark="', '">', '<file path="x" mark="', '\n', 'a', '0123456789abcdef', '```', '"', '\r'],
  );
  const content = fc.array(piece, { maxLength: 12 }).map((pieces) => `${pieces.join('')}\n`);
  const path = fc.constantFrom('a.ts', 'b/"c".ts', '</file>.md', 'ünï.ts');
  fc.assert(
    fc.property(fc.array(fc.record({ path, content }), { maxLength: 4 }), (files) => {
      const text = renderContext({ files, ...rest });
      expect(filesIn(text)).toEqual(files);
      // The mark of one file, copied into the next, ends nothing there.
      const copied = { path: 'copy.ts', content: `${text.slice(text.indexOf('\n\n<file') + 2)}\n` };
      expect(filesIn(renderContext({ files: [...files, copied], ...rest }))).toEqual([...files, copied]);
    }),
    runs(100),
  );
});

test('what is left out is said', () => {
  const text = renderContext({
    files: [],
    omitted: [{ path: 'big.ts', why: 'too-large' }],
    omittedCount: 3,
    complete: false,
  });
  expect(text).toContain('- "big.ts" (too large)\n- and 2 more');
  expect(text).toContain('more files than could be read');
});
