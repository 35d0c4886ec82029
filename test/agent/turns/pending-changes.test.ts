import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Change, Plan } from '../../../packages/desktop-agent/src/server/changes/index.ts';
import { load } from './support.ts';
import { runs } from '../../full.ts';

type Tools = typeof import('../../../packages/desktop-agent/src/server/turns/tools/pending-changes.ts');

let app: string;
let tools: Tools;
let inOrder: typeof import('../../../packages/desktop-agent/src/server/turns/tools/in-order.ts').inOrder;
let propose: typeof import('../../../packages/desktop-agent/src/server/changes/index.ts').propose;

beforeAll(async () => {
  app = realpathSync(mkdtempSync(join(tmpdir(), 'agent-pending-')));
  mkdirSync(join(app, 'dir/deep'), { recursive: true });
  for (const path of ['a', 'b', 'dir/x', 'dir/deep/y']) writeFileSync(join(app, path), path);
  tools = await load<Tools>('server/turns/tools/pending-changes.js');
  ({ inOrder } = await load<typeof import('../../../packages/desktop-agent/src/server/turns/tools/in-order.ts')>(
    'server/turns/tools/in-order.js',
  ));
  ({ propose } =
    await load<typeof import('../../../packages/desktop-agent/src/server/changes/index.ts')>(
      'server/changes/index.js',
    ));
});
afterAll(() => rmSync(app, { recursive: true, force: true }));

const paths = ['a', 'A', 'b', './b', 'c', 'dir', 'dir/x', 'Dir/z', 'dir/deep/y', 'new', 'new/e', 'New/f', '../out'];
const path = fc.constantFrom(...paths);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ type: fc.constant('write' as const), path, content: fc.constantFrom('1', '2') }),
  fc.record({ type: fc.constant('rename' as const), from: path, to: path }),
  fc.record({ type: fc.constant('delete' as const), path }),
);

/** With all changes at once, as the proposal is made in the end. */
async function atOnce(changes: readonly Change[]): Promise<{ plan: Plan | null; files: Map<string, unknown> }> {
  try {
    const named = changes.map((one) => JSON.parse(JSON.stringify(one).replaceAll('./b', 'b')) as Change);
    const ordered = inOrder(named);
    const { plan, proposal } = await propose(app, { summary: '', changes: ordered, dependencies: [], commands: [] });
    if (proposal.leftOut !== undefined) return { plan: null, files: new Map() };
    return { plan, files: new Map(proposal.files.map((file) => [file.path, file])) };
  } catch {
    return { plan: null, files: new Map() };
  }
}

test('a change that is looked at with those that it touches is what it is with all of them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 7 }), async (changes) => {
      const pending = new tools.PendingChanges(app);
      const kept: Change[] = [];
      for (const one of changes) {
        const { plan, files } = await atOnce([...kept, one]);
        const looked = await pending.look(one).catch(() => undefined);
        expect({ one, isRefused: looked === undefined || looked.error !== undefined }).toEqual({
          one,
          isRefused: plan === null,
        });
        if (looked === undefined || plan === null) continue;
        for (const file of looked.files) expect(file).toEqual(files.get(file.path));
        looked.keep();
        kept.push(one);
        const effects = new Map(plan.effects.map((effect) => [effect.path, effect]));
        for (const name of paths.filter((name) => !name.startsWith('.'))) {
          const effect = effects.get(name);
          const read = pending.read(name);
          if (effect?.kind === 'write') expect(read).toEqual({ state: 'written', content: effect.content });
          else if (effect?.kind === 'move') expect(read).toEqual({ state: 'on-disk', path: effect.from });
          else if (effect?.kind === 'delete') expect(read).toEqual({ state: 'gone' });
        }
      }
    }),
    runs(100),
  );
});

test('a file that was put where another was moved away from is there', async () => {
  const pending = new tools.PendingChanges(app);
  for (const [from, to] of [
    ['b', 'new'],
    ['a', 'b'],
  ] as const) {
    (await pending.look({ type: 'rename', from, to })).keep();
  }
  expect(pending.read('b')).toEqual({ state: 'on-disk', path: 'a' });
  expect(pending.read('new')).toEqual({ state: 'on-disk', path: 'b' });
  expect(pending.read('a')).toEqual({ state: 'gone' });
});
