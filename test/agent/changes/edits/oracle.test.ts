// What git makes of the same hunks.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../full.ts';
import { load } from '../../turns/support.ts';
import { gitEnv, newFolder } from '../apps.ts';

const { withHunks, withoutHunks } = await load<
  typeof import('../../../../packages/desktop-agent/src/server/changes/without-hunks.ts')
>('server/changes/without-hunks.js');
const { diffOf, DiffTime } =
  await load<typeof import('../../../../packages/desktop-agent/src/server/changes/diff.ts')>('server/changes/diff.js');
const { applyEdit, changesOfEdit } = await load<
  typeof import('../../../../packages/desktop-agent/src/server/changes/edits/index.ts')
>('server/changes/edits/index.js');

const folder = newFolder();
const run = (...args: string[]) => spawnSync('git', args, { cwd: folder, env: gitEnv, encoding: 'utf8' });

/** Few different lines, so that the same ones come again; with returns, blanks, and signs at their beginning. */
const line = fc.constantFrom(
  'a',
  'b',
  'c',
  '',
  ' ',
  '  a',
  '- x',
  '+ y',
  '\\ No newline at end of file',
  'd\r',
  '@@ -1 +1 @@',
  '-- e',
);
const ended = (lines: string[], isOpen: boolean): string =>
  lines.length === 0 ? '' : lines.join('\n') + (isOpen && lines.at(-1) !== '' ? '' : '\n');
/** A text, and what became of it in several places. */
const sides = fc
  .tuple(
    fc.array(line, { maxLength: 60 }),
    fc.array(fc.record({ at: fc.nat(60), drop: fc.nat(3), add: fc.array(line, { maxLength: 3 }) }), { maxLength: 6 }),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([lines, changes, isOpen, isOpenAfter]) => {
    const after = [...lines];
    for (const { at, drop, add } of changes) after.splice(Math.min(at, after.length), drop, ...add);
    return { before: ended(lines, isOpen), after: ended(after, isOpenAfter) };
  })
  .filter(({ before, after }) => before !== after && before !== '' && after !== '');

type Hunks = ReturnType<typeof diffOf>['hunks'];

/** A diff of git, of some hunks. */
function patchOf(hunks: Hunks): string {
  const signs = { context: ' ', added: '+', removed: '-', note: '' };
  const count = (lines: Hunks[number]['lines'], other: string): number =>
    lines.filter(({ kind }) => kind !== 'note' && kind !== other).length;
  const texts = hunks.map(({ oldStart, lines }) => {
    const [old, now] = [count(lines, 'added'), count(lines, 'removed')];
    const head = `@@ -${old === 0 ? oldStart - 1 : oldStart},${old} +${oldStart},${now} @@`;
    return [head, ...lines.map(({ kind, text }) => signs[kind] + text)].join('\n');
  });
  return `--- a/file\n+++ b/file\n${texts.join('\n')}\n`;
}

test('any of the hunks applied by us are what git makes of the same hunks', () => {
  fc.assert(
    fc.property(sides, fc.infiniteStream(fc.boolean()), ({ before, after }, chosen) => {
      const diff = diffOf({ path: 'file', before: Buffer.from(before), after: Buffer.from(after) }, new DiffTime());
      const kept = new Set([...diff.hunks.keys()].filter(() => chosen.next().value === true));
      const ours = withoutHunks(
        after,
        diff.hunks.filter((_, index) => !kept.has(index)),
      );
      const chosenHunks = diff.hunks.filter((_, index) => kept.has(index));
      writeFileSync(join(folder, 'file'), before);
      if (kept.size > 0) {
        writeFileSync(join(folder, 'patch'), patchOf(chosenHunks));
        const { status, stderr } = run('apply', '--whitespace=nowarn', 'patch');
        expect(`${status} ${stderr}`).toBe('0 ');
      }
      expect(ours).toBe(readFileSync(join(folder, 'file'), 'utf8'));
      // What is then shown as applied is the diff of what is there.
      const shown = withHunks(diff, kept);
      const now = diffOf({ path: 'file', before: Buffer.from(before), after: Buffer.from(ours ?? '') }, new DiffTime());
      expect(shown.hunks.map(({ newStart }) => newStart)).toHaveLength(kept.size);
      expect(withoutHunks(ours ?? '', shown.hunks)).toBe(before);
      expect([now.added - now.removed]).toEqual([shown.added - shown.removed]);
    }),
    runs(150),
  );
});

test('a diff of git that we apply makes what git makes of it', () => {
  fc.assert(
    fc.property(sides, ({ before, after }) => {
      writeFileSync(join(folder, 'old'), before);
      writeFileSync(join(folder, 'new'), after);
      const diff = run('diff', '--no-index', '--no-color', 'old', 'new').stdout;
      const [change, ...more] = changesOfEdit('', diff.replaceAll(/\b(?:old|new)\b(?=$)/gm, 'file'));
      expect(more).toEqual([]);
      if (change?.type !== 'edit') throw new Error(`This is no edit: ${JSON.stringify(change)}\n${diff}`);
      expect(applyEdit(before, change.hunks)).toEqual({ text: after, inexact: [] });
    }),
    runs(150),
  );
});

/** What blocks and diffs are made of, whole and broken. */
const piece = fc.constantFrom(
  '<<<<<<< SEARCH',
  '=======',
  '>>>>>>> REPLACE',
  '<<<<<<<< SEARCH',
  '@@ -1,2 +1,2 @@',
  '@@ @@',
  '--- a/file',
  '+++ b/file',
  '--- /dev/null',
  'diff --git a/file b/file',
  'rename from file',
  '\\ No newline at end of file',
  ' a',
  '-a',
  '+b',
  'a',
  '  a',
  '\ta\r',
  '',
);

test('whatever a model sends as an edit is refused with words, or changes only lines that it names', () => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 14 }),
      fc.array(fc.constantFrom('a', '  a', '\ta', 'kept 1', 'kept 2', ''), { maxLength: 12 }),
      (edit, lines) => {
        const text = ended(lines, false);
        for (const change of changesOfEdit('file', edit.join('\n'))) {
          if (change.type === 'refused') expect(change.why).toMatch(/\w.*\.$/s);
          if (change.type !== 'edit') continue;
          let edited: ReturnType<typeof applyEdit>;
          try {
            edited = applyEdit(text, change.hunks);
          } catch (error) {
            expect((error as Error).name).toBe('EditRefused');
            expect((error as Error).message).toMatch(/\w.*\.$/s);
            continue;
          }
          const kept = (of: string): string[] => of.split('\n').filter((one) => one.startsWith('kept'));
          expect(kept(edited.text)).toEqual(kept(text));
        }
      },
    ),
    runs(2_000),
  );
});
