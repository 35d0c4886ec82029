import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Change } from '../../../packages/desktop-agent/src/server/changes/index.ts';
import { load } from './support.ts';
import { runs } from '../../full.ts';

const path = fc.constantFrom('a', 'b', 'c', 'd');
/** An edit of any text: it replaces the one line that is there. */
const edited = (text: string): string => `${text}, edited`;
type OneChange = Exclude<Change, { type: 'refused' }>;
const change: fc.Arbitrary<OneChange> = fc.oneof(
  fc.record({ type: fc.constant('edit' as const), path, hunks: fc.constant([] as never[]) }),
  fc.record({ type: fc.constant('write' as const), path, content: fc.constantFrom('1', '2', '3') }),
  fc.record({ type: fc.constant('rename' as const), from: path, to: path }),
  fc.record({ type: fc.constant('delete' as const), path }),
);

/** One change after the other, as the tools were called. `undefined` where one cannot be done. */
function oneByOne(disk: ReadonlyMap<string, string>, changes: readonly Change[]): Map<string, string> | undefined {
  const files = new Map(disk);
  for (const one of changes) {
    if (one.type === 'write') files.set(one.path, one.content);
    else if (one.type === 'refused') return undefined;
    else if (one.type === 'edit') {
      const content = files.get(one.path);
      if (content === undefined) return undefined;
      files.set(one.path, edited(content));
    } else if (one.type === 'delete') files.delete(one.path);
    else if (one.from !== one.to) {
      const content = files.get(one.from);
      if (content === undefined || files.has(one.to)) return undefined;
      files.set(one.to, content);
      files.delete(one.from);
    }
  }
  return files;
}

/** Deletions, then renames, then writes and edits. */
function inPhases(disk: ReadonlyMap<string, string>, changes: readonly Change[]): Map<string, string> | undefined {
  const order = { delete: 0, rename: 1, write: 2, edit: 2, refused: 2 };
  return oneByOne(
    disk,
    changes.toSorted((one, other) => order[one.type] - order[other.type]),
  );
}

test('the changes of tools come out as they would one after the other', async () => {
  const { inOrder } = await load<typeof import('../../../packages/desktop-agent/src/server/turns/tools/in-order.ts')>(
    'server/turns/tools/in-order.js',
  );
  fc.assert(
    fc.property(fc.subarray(['a', 'b', 'c']), fc.array(change, { maxLength: 8 }), (there, changes) => {
      const disk = new Map(there.map((name) => [name, `disk ${name}`]));
      const wanted = oneByOne(disk, changes);
      // What cannot be done one by one was refused before it was added.
      fc.pre(wanted !== undefined);
      let ordered: Change[];
      try {
        ordered = inOrder(changes);
      } catch {
        return;
      }
      const done = inPhases(disk, ordered);
      // Renames in a circle cannot be said in phases: they are refused, and nothing comes out wrong.
      if (done !== undefined) expect(done).toEqual(wanted);
    }),
    runs(300),
  );
});

test('what is usual is not refused', async () => {
  const { inOrder } = await load<typeof import('../../../packages/desktop-agent/src/server/turns/tools/in-order.ts')>(
    'server/turns/tools/in-order.js',
  );
  expect(
    inOrder([
      { type: 'write', path: 'new', content: '1' },
      { type: 'rename', from: 'old', to: 'older' },
      { type: 'write', path: 'old', content: '2' },
      { type: 'delete', path: 'new' },
      { type: 'delete', path: 'gone' },
    ]),
  ).toEqual([
    { type: 'delete', path: 'new' },
    { type: 'delete', path: 'gone' },
    { type: 'rename', from: 'old', to: 'older' },
    { type: 'write', path: 'old', content: '2' },
  ]);
});
