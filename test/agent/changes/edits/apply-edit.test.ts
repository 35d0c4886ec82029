import { describe, expect, test } from 'vitest';
import { load } from '../../turns/support.ts';

type Edits = typeof import('../../../../packages/desktop-agent/src/server/changes/edits/index.ts');
const { applyEdit, changeOfTexts, changesOfEdit } = await load<Edits>('server/changes/edits/index.js');

/** One block, as a model writes it. */
const block = (search: string, replacement: string, length = 7): string => {
  const mark = (character: string): string => character.repeat(length);
  return `${mark('<')} SEARCH\n${search}${mark('=')}\n${replacement}${mark('>')} REPLACE\n`;
};

function edited(text: string, edit: string): { text: string; inexact: string[] } {
  const [change, ...more] = changesOfEdit('a.ts', edit);
  expect(more).toEqual([]);
  if (change?.type === 'refused') throw new Error(change.why);
  if (change?.type !== 'edit') throw new Error(`This is no edit: ${JSON.stringify(change)}`);
  return applyEdit(text, change.hunks);
}
const exactly = (text: string) => ({ text, inexact: [] });
const why = (text: string, edit: string): string => {
  try {
    edited(text, edit);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('It was not refused.');
};

describe('search-and-replace blocks', () => {
  test('several blocks are looked for in the file as it is, in any order', () => {
    const edit = block('three\n', 'two\n') + block('one\n', 'three\nfour\n');
    expect(edited('one\ntwo\nthree\n', edit)).toEqual(exactly('three\nfour\ntwo\ntwo\n'));
  });

  test('a text that occurs twice is refused with its places, also where the second overlaps the first', () => {
    expect(why('a\nb\na\nb\n', block('a\n', 'c\n'))).toBe(
      'Block 1 fits in 2 places, at the lines 1, 3. Give more lines around it, so that only one fits.',
    );
    expect(why('x\nx\nx\n', block('x\nx\n', 'y\n'))).toContain('fits in 2 places, at the lines 1, 2');
    expect(why('x\n'.repeat(9), block('x\n', 'y\n'))).toContain(
      'fits in 9 places, at the lines 1, 2, 3, 4, 5 and more',
    );
  });

  test('an empty search text begins an empty file, and nothing else', () => {
    expect(edited('', block('', 'new\n'))).toEqual(exactly('new\n'));
    expect(why('old\n', block('', 'new\n'))).toContain('Block 1 names no line of the file');
    expect(why('old\n\nlast\n\n', block('\n', 'new\n'))).toContain('fits in 2 places');
  });

  test('what is not in the file is refused with the place that is nearest', () => {
    const text = 'function a() {\n  return 1;\n}\n\nfunction b() {\n  return 2;\n}\n';
    const message = why(text, block('function b() {\n  return 3;\n}\n', 'x\n'));
    expect(message).toContain('Nearest is line 5: there, line 6 of the file has "return 2;", and this has "return 3;"');
    expect(why(text, block('nothing\n', 'x\n'))).toContain('the file has no lines like "nothing"');
    expect(why(text, block('}\nmore\n', 'x\n'))).toMatch(/line \d of the file has/);
    expect(why('a\n', block('a\nb\n', 'x\n'))).toContain('line 2 of the file has ended');
  });

  test('other white space is found, told, and the new lines get the indentation of the file', () => {
    const tabs = 'class A {\n\tb() {\n\t\treturn 1;\n\t}\n}\n';
    const edit = block(
      '    b() {\n        return 1;\n    }\n',
      '    b() {\n        if (x) {\n            return 2;\n        }\n    }\n',
    );
    const { text, inexact } = edited(tabs, edit);
    expect(text).toBe('class A {\n\tb() {\n\t\tif (x) {\n\t\t    return 2;\n\t\t}\n\t}\n}\n');
    expect(inexact).toEqual(['Block 1 has other white space than the file at line 2']);
    expect(edited('a  \nb\n', block('a\nb\n', 'a\nc\n'))).toEqual({
      text: 'a  \nc\n',
      inexact: ['Block 1 has other white space than the file at line 1'],
    });
  });

  test('white space that could mean two things is refused', () => {
    expect(why('\ta\n  a\n', block('    a\n', 'b\n'))).toContain('fits in 2 places');
    expect(why('  a\n    b\n', block('   a\n   b\n', '   c\n'))).toContain('is indented differently from the file');
  });

  test('an exact place goes before one with other white space', () => {
    expect(edited('\ta\na\n', block('a\n', 'b\n'))).toEqual(exactly('\ta\nb\n'));
  });

  test('blocks that overlap are refused', () => {
    expect(why('a\nb\nc\n', block('a\nb\n', 'x\n') + block('b\nc\n', 'y\n'))).toContain(
      'Block 1 and Block 2 change the same lines (2 to 2)',
    );
  });

  test('a file keeps its line ends, its byte order mark and its end', () => {
    expect(edited('a\r\nb\r\n', block('a\n', 'x\ny\n')).text).toBe('x\r\ny\r\nb\r\n');
    expect(edited('a\r\nb', block('b\n', 'c\n')).text).toBe('a\r\nc');
    expect(edited('a\r\nb', block('b\n', 'b\nc\n')).text).toBe('a\r\nb\nc'.replace('b\n', 'b\r\n'));
    expect(edited('\uFEFFa\nb', block('a\n', 'x\n')).text).toBe('\uFEFFx\nb');
    expect(edited('\uFEFFa\nb\n', block('\uFEFFa\n', '\uFEFFx\n')).text).toBe('\uFEFFx\nb\n');
    expect(edited('a\nb', block('b\n', 'c\n')).text).toBe('a\nc');
    expect(edited('one', block('one\n', 'two\n')).text).toBe('two');
    // A message that came with returns throughout says nothing about the file.
    expect(edited('a\nb\n', block('a\n', 'x\n').replaceAll('\n', '\r\n')).text).toBe('x\nb\n');
    expect(edited('a\r\nb\nc\r\n', block('b\n', 'x\n')).text).toBe('a\r\nx\nc\r\n');
  });

  test('longer marks hold text that has marks, and a divider that occurs twice is refused', () => {
    expect(why('Title\n=======\n', block('Title\n=======\n', 'Name\n====\n'))).toContain(
      'has the line ======= 2 times',
    );
    expect(edited('Title\n=======\n', block('Title\n=======\n', 'Name\n====\n', 8)).text).toBe('Name\n====\n');
    expect(why('a\n', '<<<<<<< SEARCH\na\n=======\nb\n')).toContain('Block 1 does not end');
    expect(why('a\n', '<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n')).toContain('has no line =======');
    expect(why('a\n', 'no blocks')).toContain('neither blocks nor a diff');
  });

  test('10 MB to look for, 100,000 equal lines and a thousand blocks end in bounded time', () => {
    const start = performance.now();
    expect(why('a\n', block(`${'x'.repeat(99)}\n`.repeat(100_000), 'y\n'))).toContain('over 1 MB of text');
    const same = 'a\n'.repeat(100_000);
    expect(why(same, block(`${'a\n'.repeat(50_000)}b\n`, 'y\n'))).toContain('its lines are not in the file');
    expect(why(same, block('a\n', 'y\n').repeat(1_000))).toContain('1000 blocks for 100000 lines');
    expect(why(same, block('a\n', 'y\n').repeat(1_001))).toContain('at most 1000');
    expect(why('a\n', '<<<<<<< SEARCH\n'.repeat(60_000))).toContain('does not end');
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  test('the texts of a call are blocks, too', () => {
    const change = changeOfTexts('a', [{ search: 'a', replace: 'b\nc' }]);
    if (change.type !== 'edit') throw new Error('no edit');
    expect(applyEdit('a\nz\n', change.hunks)).toEqual(exactly('b\nc\nz\n'));
    const none = changeOfTexts('a', []);
    if (none.type !== 'edit') throw new Error('no edit');
    expect(() => applyEdit('a\n', none.hunks)).toThrow('changes nothing');
  });
});

describe('unified diffs', () => {
  test('line numbers that lie are told, and counts are not believed', () => {
    const diff = '@@ -90,1 +90,99 @@\n a\n-b\n+x\n';
    expect(edited('a\nb\nc\n', diff)).toEqual({
      text: 'a\nx\nc\n',
      inexact: ['Hunk 1 is for line 90, but its lines are at line 1'],
    });
    expect(edited('a\nb\na\nb\n', '@@ -3,2 +3,2 @@\n a\n-b\n+x\n')).toEqual(exactly('a\nb\na\nx\n'));
    expect(why('a\nb\na\nb\n', '@@ -2,2 +2,2 @@\n a\n-b\n+x\n')).toContain('fits in 2 places');
    // Without numbers.
    expect(edited('a\nb\n', '--- a.ts\n+++ a.ts\n@@ @@\n-b\n+x\n')).toEqual(exactly('a\nx\n'));
  });

  test('a hunk without a line of the file is refused, except in an empty file', () => {
    expect(why('a\n', '@@ -1,0 +2,1 @@\n+x\n')).toContain('names no line of the file');
    expect(edited('', '@@ -0,0 +1,1 @@\n+x\n')).toEqual(exactly('x\n'));
  });

  test('the mark of a missing line break is followed, and its absence keeps what is there', () => {
    const none = '\\ No newline at end of file\n';
    expect(edited('a\nb', `@@ -1,2 +1,2 @@\n a\n-b\n${none}+b\n`)).toEqual(exactly('a\nb\n'));
    expect(edited('a\nb\n', `@@ -1,2 +1,2 @@\n a\n-b\n+c\n${none}`)).toEqual(exactly('a\nc'));
    expect(edited('a\nb', '@@ -1,2 +1,2 @@\n a\n-b\n+c\n')).toEqual(exactly('a\nc'));
  });

  test('lines that begin like a head are lines', () => {
    expect(edited('-- x\n', '@@ -1 +1 @@\n--- x\n+++ y\n')).toEqual(exactly('++ y\n'));
    expect(edited('-- x\n-- z\n', '@@ -1,2 +1,2 @@\n--- x\n+++ y\n --- z\n'.replace(' --- z', ' -- z'))).toEqual(
      exactly('++ y\n-- z\n'),
    );
  });

  test('a line without a sign is refused, and a blank one is context', () => {
    expect(edited('a\n\nb\n', '@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n')).toEqual(exactly('a\n\nc\n'));
    expect(why('a\n', '@@ -1 +1 @@\n-a\nb\n')).toContain('begins with neither a space nor + nor -');
  });

  const kinds = (edit: string, path = '') =>
    changesOfEdit(path, edit).map((change) =>
      change.type === 'rename'
        ? `rename ${change.from} ${change.to}`
        : `${change.type} ${change.path}${change.type === 'refused' ? `: ${change.why}` : ''}`,
    );

  test('a diff of git names several files, new, deleted and renamed ones', () => {
    const diff = `diff --git a/one.ts b/one.ts
index 1..2 100644
--- a/one.ts
+++ b/one.ts
@@ -1 +1 @@
-a
+b
diff --git a/gone.ts b/gone.ts
deleted file mode 100644
--- a/gone.ts
+++ /dev/null
@@ -1 +0,0 @@
-a
diff --git a/new.ts b/new.ts
new file mode 100644
--- /dev/null
+++ b/new.ts
@@ -0,0 +1 @@
+a
diff --git a/a/from.ts b/b/to.ts
similarity index 100%
rename from a/from.ts
rename to b/to.ts
diff --git a/x.ts b/y.ts
similarity index 90%
rename from x.ts
rename to y.ts
--- a/x.ts
+++ b/y.ts
@@ -1 +1 @@
-a
+b
`;
    expect(kinds(diff)).toEqual([
      'edit one.ts',
      'delete gone.ts',
      'edit new.ts',
      'rename a/from.ts b/to.ts',
      'rename x.ts y.ts',
      'edit y.ts',
    ]);
  });

  test('what a diff of git can say and is not done here is refused', () => {
    const git = (body: string): string => `diff --git a/x b/x\n${body}`;
    expect(kinds(git('GIT binary patch\nliteral 4\nLcmZQzU|?i`00008\n'))[0]).toContain('has a binary file');
    expect(kinds(git('Binary files a/x and b/x differ\n@@ -1 +1 @@\n'))[0]).toContain('has a binary file');
    expect(kinds(git('old mode 100644\nnew mode 100755\n'))[0]).toContain('changes the mode');
    expect(kinds(git('new file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc/passwd\n'))[0]).toContain(
      'has a link or a submodule',
    );
    expect(kinds(git('copy from x\ncopy to y\n'))[0]).toContain('copies a file');
    expect(kinds('--- "a/\\303\\244"\n+++ "b/\\303\\244"\n@@ -1 +1 @@\n-a\n+b\n')[0]).toContain('has escapes');
    expect(kinds('@@ -1 +1 @@\n-a\n+b\n')[0]).toContain('names no file');
    expect(kinds('--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n', 'y')[0]).toContain(
      'The tag is for y, and its diff is for x',
    );
    expect(kinds(block('a\n', 'b\n'))[0]).toContain('names no file');
  });
});
