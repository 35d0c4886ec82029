import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AttachmentStore } from '@mustard-sandbox/agent-tool';
import { makeFolder } from '../../files/support.ts';
import { blobsIn, bundleFixture, bytes, expectSound, leftoversIn } from './support.ts';

interface Line {
  started?: string;
  stored?: string;
  sha256?: string;
  removing?: string;
  steps?: number;
}

interface Child {
  /** Kills it and gives all that it said. */
  kill(): Promise<Line[]>;
  /** The same once it has ended by itself, or killed itself. */
  ended: Promise<Line[]>;
  /** Until it has begun and stored that many files, or ended. */
  hasStored(count: number): Promise<void>;
}

function start(script: string, ...args: string[]): Child {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: Line[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(JSON.parse(line) as Line));
  const ended = Promise.all([once(reader, 'close'), once(child, 'exit')]).then(() => lines);
  return {
    ended,
    hasStored: async (count) => {
      const enough = (): boolean =>
        lines.length > 0 && lines.filter(({ stored }) => stored !== undefined).length >= count;
      const alive = (): boolean => child.exitCode === null && child.signalCode === null;
      while (!enough() && alive()) await Promise.race([once(reader, 'line'), ended]);
    },
    kill: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

/** What was acknowledged, by name: it must be there until somebody begins to remove it. */
function apply(lines: readonly Line[], acknowledged: Map<string, string>): void {
  for (const { stored, sha256, removing } of lines) {
    if (stored !== undefined) acknowledged.set(stored, sha256 as string);
    if (removing !== undefined) acknowledged.delete(removing);
  }
}

function expectNothingLost(directory: string, acknowledged: ReadonlyMap<string, string>): void {
  const there = new Map(expectSound(directory).map(({ name, sha256 }) => [name, sha256]));
  for (const [name, sha256] of acknowledged) expect(there.get(name), name).toBe(sha256);
}

/** The next call works, and clears up after the dead. */
async function expectGoesOn(app: string): Promise<void> {
  const events: string[] = [];
  const store = new AttachmentStore(app, { lockWaitMs: 5_000, events: ({ type }) => events.push(type) });
  await store.store(bytes(`after ${Math.random()}`), 'after.txt');
  await store.prune();
  expect(leftoversIn(store.directory)).toEqual([]);
  const entries = expectSound(store.directory);
  expect(new Set(entries.map(({ file }) => file))).toEqual(new Set(blobsIn(store.directory)));
  expect((await store.list()).length).toBe(entries.length);
  expect(events).toEqual(['attachment.stored']);
}

/** `count` times, two at once: there are two cores. */
async function inPairs(count: number, use: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await use(next++);
  };
  await Promise.all([lane(), lane()]);
}

// Over 300 kills in all: 45 s of processor time. The timeout is for machines that have other things to do as well.
describe('a store whose process is killed', { timeout: 300_000 }, () => {
  test('before any step of what it does loses nothing, tears nothing, and goes on', async () => {
    const folder = makeFolder();
    const script = await bundleFixture('kill-at', folder);
    const template = join(folder, 'template');
    mkdirSync(template);
    const prepared = new AttachmentStore(template);
    const acknowledged = new Map<string, string>();
    for (const name of ['kept.txt', 'old.txt', 'older.txt']) {
      acknowledged.set(name, (await prepared.store(bytes(name), name)).sha256);
    }
    const makeApp = (name: string): string => {
      cpSync(template, join(folder, name), { recursive: true });
      return join(folder, name);
    };
    const steps = (await start(script, makeApp('whole'), '0').ended).at(-1)?.steps as number;
    expect(steps).toBeGreaterThan(80);
    await inPairs(steps, async (index) => {
      const app = makeApp(String(index));
      const expected = new Map(acknowledged);
      const lines = await start(script, app, String(index + 1)).ended;
      expect(lines.every((line) => line.steps === undefined)).toBe(true);
      apply(lines, expected);
      expectNothingLost(join(app, '.dyad', 'media'), expected);
      await expectGoesOn(app);
    });
  });

  test('before any step of the first file ever', async () => {
    const folder = makeFolder();
    const script = await bundleFixture('kill-at', folder);
    await inPairs(30, async (index) => {
      const app = join(folder, String(index));
      mkdirSync(app);
      const acknowledged = new Map<string, string>();
      apply(await start(script, app, String(index + 1)).ended, acknowledged);
      await expectGoesOn(app);
      expectNothingLost(join(app, '.dyad', 'media'), acknowledged);
    });
  });

  test('at any moment, 176 times, while others go on, loses nothing that it acknowledged', async () => {
    const folder = makeFolder();
    const script = await bundleFixture('store-loop', folder);
    let kills = 0;
    let stored = 0;
    await inPairs(8, async (index) => {
      const app = join(folder, String(index));
      mkdirSync(app);
      const acknowledged = new Map<string, string>();
      for (let round = 0; round < 11; round++) {
        // Both may remove only what they stored themselves, so it does not matter whose lines come first.
        const children = [0, 1].map((number) => start(script, app, `${index} ${round} ${number}`));
        for (const [number, child] of children.entries()) {
          // Some before their first file, some after it: had nothing been stored, nothing could be lost.
          await child.hasStored((round + number) % 3);
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 25));
          const lines = await child.kill();
          kills++;
          stored += lines.filter((line) => line.stored !== undefined).length;
          apply(lines, acknowledged);
        }
        expectNothingLost(join(app, '.dyad', 'media'), acknowledged);
      }
      await expectGoesOn(app);
      expectNothingLost(join(app, '.dyad', 'media'), acknowledged);
    });
    expect(kills).toBe(176);
    expect(stored).toBeGreaterThanOrEqual(8 * 22);
  });
});
