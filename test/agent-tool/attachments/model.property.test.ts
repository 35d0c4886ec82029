import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AttachmentStore } from '@mustard-sandbox/agent-tool';
import { runs } from '../../full.ts';
import { blobsIn, bytes, expectSound, sha256 } from './support.ts';

const originals = ['a.txt', 'A.TXT', 'a-2.txt', 'logs/a.txt', 'b', '...'] as const;
const contents = ['', 'one', 'two', 'three'] as const;

type Operation =
  | { do: 'store'; original: (typeof originals)[number]; content: (typeof contents)[number] }
  | { do: 'remove'; which: number }
  | { do: 'remove nothing' }
  | { do: 'prune' }
  | { do: 'cleanup'; keep: number }
  | { do: 'lose a file'; which: number }
  | { do: 'lose the manifest' }
  | { do: 'stray file' };

const which = fc.nat({ max: 20 });
const operations: fc.Arbitrary<Operation>[] = [
  fc.record({
    do: fc.constant('store'),
    original: fc.constantFrom(...originals),
    content: fc.constantFrom(...contents),
  }),
  fc.record({ do: fc.constant('remove'), which }),
  fc.constant({ do: 'remove nothing' }),
  fc.constant({ do: 'prune' }),
  fc.record({ do: fc.constant('cleanup'), keep: which }),
  fc.record({ do: fc.constant('lose a file'), which }),
  fc.constant({ do: 'lose the manifest' }),
  fc.constant({ do: 'stray file' }),
];
const storing = operations[0] as fc.Arbitrary<Operation>;

interface Known {
  name: string;
  /** The last part of the original name, in lower case. */
  wanted: string;
  content: string;
}

/** What must be there, in plain words and without any disk. */
class Model {
  known: Known[] = [];
  /** Whose file was taken away behind the store's back. */
  lost = new Set<string>();
  /** A file in the folder that no attachment names, unless one does. */
  stray = false;

  store(original: string, content: string): string {
    const base = original === '...' ? 'attachment' : (original.split('/').at(-1) as string);
    const wanted = base.toLowerCase();
    this.lost.delete(content);
    const same = this.known.find((entry) => entry.wanted === wanted && entry.content === content);
    if (same !== undefined) return same.name;
    const taken = new Set(this.known.map(({ name }) => name.toLowerCase()));
    const [stem, end] = base.includes('.') ? base.split('.') : [base];
    let name = base;
    for (let number = 2; taken.has(name.toLowerCase()); number++) {
      name = `${stem}-${number}${end === undefined ? '' : `.${end}`}`;
    }
    this.known.push({ name, wanted, content });
    return name;
  }

  keepOnly(keep: (entry: Known) => boolean): void {
    const had = this.known.some(({ content }) => content === 'stray');
    this.known = this.known.filter(keep);
    if (had && !this.known.some(({ content }) => content === 'stray')) this.stray = false;
  }

  prune(): void {
    this.keepOnly(({ content }) => !this.lost.has(content));
    this.stray = this.known.some(({ content }) => content === 'stray');
  }

  get there(): Known[] {
    return this.known.filter(({ content }) => !this.lost.has(content));
  }
}

async function perform(operation: Operation, app: string, model: Model): Promise<void> {
  // A new one each time: nothing is remembered but on disk.
  const store = new AttachmentStore(app);
  const chosen = 'which' in operation ? model.known[operation.which % Math.max(1, model.known.length)] : undefined;
  switch (operation.do) {
    case 'store': {
      const { original, content } = operation;
      const { name } = await store.store(bytes(content), original);
      expect(name).toBe(model.store(original, content));
      break;
    }
    case 'remove':
      if (chosen === undefined) break;
      expect(await store.remove(chosen.name)).toBe(true);
      model.keepOnly((entry) => entry !== chosen);
      break;
    case 'remove nothing':
      expect(await store.remove('no such name')).toBe(false);
      break;
    case 'prune':
      await store.prune();
      model.prune();
      break;
    case 'cleanup': {
      const keep = model.known.slice(0, operation.keep).map(({ name }) => name);
      await store.cleanup({ olderThanMs: 0, keep });
      model.keepOnly(({ name }) => keep.includes(name));
      model.prune();
      break;
    }
    case 'lose a file':
      if (chosen === undefined || model.lost.has(chosen.content)) break;
      rmSync((await store.resolve(`attachments:${chosen.name}`)).path);
      model.lost.add(chosen.content);
      if (chosen.content === 'stray') model.stray = false;
      break;
    case 'lose the manifest': {
      if (model.known.length === 0) break;
      // As a careless program may leave it: its entries are still in it.
      const path = join(store.directory, 'manifest.json');
      writeFileSync(path, readFileSync(path, 'utf8').replace('"version": 2', '"version": "2"'));
      rmSync(join(store.directory, 'manifest.previous.json'), { force: true });
      await store.list();
      model.keepOnly(({ content }) => !model.lost.has(content));
      if (model.stray && !model.known.some(({ content }) => content === 'stray')) {
        const name = `attachment-${sha256('stray').slice(0, 8)}.txt`;
        model.known.push({ name, wanted: name, content: 'stray' });
      }
      break;
    }
    case 'stray file':
      if (model.known.length === 0) break;
      writeFileSync(join(store.directory, `${sha256('stray')}.txt`), 'stray');
      model.stray = true;
      model.lost.delete('stray');
      break;
  }
}

async function expectLike(app: string, model: Model): Promise<void> {
  const store = new AttachmentStore(app);
  const listed = await store.list();
  expect(listed.map(({ name }) => name)).toEqual(model.there.map(({ name }) => name));
  for (const { name, content } of model.known) {
    const call = store.resolve(`attachments:${name}`);
    if (model.lost.has(content)) await expect(call).rejects.toMatchObject({ code: 'not_found' });
    else expect(readFileSync((await call).path, 'utf8')).toBe(content);
  }
}

test('whatever is done in whatever order, the store holds what it should', async () => {
  const sequences = fc.array(fc.oneof({ weight: 8, arbitrary: storing }, ...operations), {
    maxLength: 25,
    size: 'max',
  });
  const property = fc.asyncProperty(sequences, async (sequence) => {
    const app = mkdtempSync(join(tmpdir(), 'mustard-model-'));
    try {
      const model = new Model();
      for (const operation of sequence) {
        await perform(operation, app, model);
        await expectLike(app, model);
      }
      const store = new AttachmentStore(app);
      await store.prune();
      if (sequence.some((operation) => operation.do === 'store')) {
        expectSound(store.directory);
        expect(blobsIn(store.directory)).toHaveLength(new Set(model.there.map(({ content }) => content)).size);
      }
    } finally {
      rmSync(app, { recursive: true });
    }
  });
  await fc.assert(property, runs(50));
});
