import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The pages that have one. */
const documents = ['docs/security.md', 'docs/desktop-agent.md'];

/** The rows of the threat model, without the heads of the tables. */
function rowsOf(document: string): string[][] {
  const [, text = ''] = readFileSync(join(root, document), 'utf8').split('\n## Threat model\n');
  return text
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\| (?:id|-+) /.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** The tests of each row, by the id in its first cell: file → titles. */
const testsOf = JSON.parse(readFileSync(join(root, 'test/threats.json'), 'utf8')) as Record<
  string,
  Record<string, string[]>
>;
const named = Object.entries(testsOf).flatMap(([id, files]) =>
  Object.entries(files).flatMap(([file, titles]) => titles.map((title) => ({ id, file, title }))),
);

/** Titles of tests, of their groups, and of what `it.each` goes through, as they are written. */
function titlesIn(file: string): Set<string> {
  const source = readFileSync(join(root, file), 'utf8');
  const strings = source.matchAll(/(['"`])((?:\\.|(?!\1)[^\\\n])+)\1/g);
  return new Set([...strings].map(([, , title]) => title as string));
}

describe('the threat model', () => {
  it.each(documents)('of %s has five cells a row, none of them empty', (document) => {
    const rows = rowsOf(document);
    expect(rows.length).toBeGreaterThan(document === 'docs/security.md' ? 60 : 15);
    for (const cells of rows) {
      expect(cells).toHaveLength(5);
      expect(cells.every((cell) => cell !== '')).toBe(true);
    }
  });

  it('has at least one test for each row, and a row for each id', () => {
    const ids = documents.flatMap(rowsOf).map(([id]) => (id as string).replaceAll('`', ''));
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(ids.toSorted()).toEqual([...new Set(named.map(({ id }) => id))].toSorted());
  });

  it.each(named)('names a test that is there for $id: $title, in $file', ({ title, file }) => {
    expect(existsSync(join(root, file))).toBe(true);
    expect(titlesIn(file)).toContain(title);
  });

  it.each(['isolation', 'files', 'fuzz', 'protocol', 'daemon'])('names every file of test/%s', (folder) => {
    const files = readdirSync(join(root, 'test', folder)).filter((name) => name.endsWith('.test.ts'));
    const missing = files.filter((name) => !named.some(({ file }) => file === posix.join('test', folder, name)));
    expect(missing).toEqual([]);
  });
});
