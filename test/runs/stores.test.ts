import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { postgresStore, sqliteStore, type RunStore, type StoredCall, type StoredRun } from '@mustard-sandbox/runs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { postgresPrograms, startPostgres, type PostgresServer } from '../../stress/postgres.mjs';
import { counting, folder, host } from './support.ts';

/** Opens the same database anew with each call, as several hosts do. */
type Opener = () => RunStore;

function storedRun(more: Partial<StoredRun> = {}): StoredRun {
  return {
    id: randomUUID(),
    tenant: 't',
    state: 'running',
    step: 0,
    waitsFor: [],
    wakeAt: undefined,
    expiresAt: undefined,
    createdAt: 1_790_000_000_000,
    updatedAt: 1_790_000_000_000,
    spec: randomBytes(300),
    snapshot: undefined,
    outcome: undefined,
    forkOf: undefined,
    ...more,
  };
}

function storedCall(id: number, more: Partial<StoredCall> = {}): StoredCall {
  return {
    id,
    tool: 'github.search',
    args: JSON.stringify([{ text: "it's \u0000 \ud800 ? $1 😀" }]),
    line: 3,
    column: undefined,
    key: `k:${id}`,
    state: 'approval',
    notBefore: 1_790_000_000_000,
    answer: undefined,
    use: 'open',
    facts: { begunAt: 1, ruling: 'asked', rule: { deep: ['x'] } },
    ...more,
  };
}

let server: PostgresServer | undefined;

const stores: [name: string, open: () => Opener, isHere: boolean][] = [
  [
    'SQLite',
    () => {
      const file = join(folder(), 'runs.db');
      return () => sqliteStore(file);
    },
    true,
  ],
  [
    'Postgres',
    () => {
      const url = (server as PostgresServer).database();
      return () => postgresStore(url);
    },
    postgresPrograms !== undefined,
  ],
];

beforeAll(async () => {
  if (postgresPrograms === undefined) console.warn('Postgres is not installed, so its store is not tested.');
  else server = await startPostgres(postgresPrograms);
}, 60_000);
afterAll(() => server?.close());

describe.each(stores.filter(([, , isHere]) => isHere))('a store in %s', (_, makeOpener) => {
  function opened(): { store: RunStore; again: () => RunStore; make: Opener } {
    const make = makeOpener();
    const again = (): RunStore => {
      const store = make();
      onTestFinished(() => store.close());
      return store;
    };
    return { store: again(), again, make };
  }

  const now = 1_790_000_000_500;

  test('keeps all of a run and its calls, for whoever opens it later', async () => {
    const { store, again } = opened();
    const run = storedRun({
      expiresAt: now + 5,
      wakeAt: now + 7,
      waitsFor: ['approvals', 'time'],
      outcome: '{"value":"\\u0000"}',
      forkOf: { run: 'r', call: 2 },
      step: 9,
    });
    const calls = [
      storedCall(1),
      storedCall(2, { answer: '{"value":1}', state: 'answered', use: 'kept', line: undefined }),
    ];
    expect(await store.create(run, calls)).toBe(true);
    const { run: kept, calls: keptCalls, fence, revision } = (await again().load(run.id)) ?? {};
    expect({ ...kept, spec: Buffer.from(kept?.spec ?? []) }).toEqual({ ...run, spec: Buffer.from(run.spec) });
    expect(keptCalls).toEqual(calls);
    expect([fence, revision]).toEqual([0, 0]);
    expect(await store.load('missing')).toBeUndefined();
  });

  test('makes a run once, also for hosts at a time, with the calls of one of them', async () => {
    const { store, again } = opened();
    const id = randomUUID();
    const hosts = [store, again(), again(), again()];
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        (hosts[n % 4] as RunStore).create(storedRun({ id, step: n }), [storedCall(1, { tool: `t${n}` })]),
      ),
    );
    const winner = all.indexOf(true);
    expect(all.filter(Boolean)).toHaveLength(1);
    expect(await store.load(id)).toMatchObject({ run: { step: winner }, calls: [{ tool: `t${winner}` }] });
    expect(await store.create(storedRun({ id }), [storedCall(2)])).toBe(false);
    expect((await store.load(id))?.calls).toHaveLength(1);
  });

  test('creates a run with a claim, and removes with its calls what has ended', async () => {
    const { store } = opened();
    const [run, calls] = [storedRun(), [storedCall(1)]];
    const now = Date.now();
    expect(await store.create(run, calls, now + 1000)).toBe(true);
    expect(await store.claim(run.id, now, now + 1000)).toBeUndefined();
    expect(await store.commit(run.id, 1, now, { run: { step: 1 } })).toBe(true);
    await store.remove(run.id);
    expect((await store.load(run.id))?.calls).toHaveLength(1);
    await store.end(run.id, now, 'cancelled');
    await store.remove(run.id);
    expect(await store.load(run.id)).toBeUndefined();
    // Nothing is left that a run with the same id would find.
    expect(await store.create(run, [])).toBe(true);
    expect((await store.load(run.id))?.calls).toEqual([]);
  });

  test('gives a claim to one host at a time, and a higher fence with each', async () => {
    const { store, again } = opened();
    const { id } = await made(store);
    const hosts = [store, again(), again()];
    const claims = await Promise.all(hosts.map((each) => each.claim(id, now, now + 100)));
    expect(claims.filter((fence) => fence !== undefined)).toEqual([1]);
    expect(await store.claim(id, now + 99, now + 200)).toBeUndefined();
    expect(await store.claim(id, now + 100, now + 200)).toBe(2);
    expect(await store.claim('missing', now, now)).toBeUndefined();
    await store.end(id, now, 'cancelled');
    expect(await store.claim(id, now + 500, now + 600)).toBeUndefined();
  });

  test('writes nothing for an old fence, an ended run or a revision that has passed: all or nothing', async () => {
    const { store } = opened();
    const { id } = await made(store, [storedCall(1)]);
    const old = (await store.claim(id, now, now)) as number;
    const fence = (await store.claim(id, now, now + 1000)) as number;
    const change = { run: { step: 4, snapshot: randomBytes(10) }, calls: [storedCall(7)], dropsUnanswered: true };
    expect(await store.commit(id, old, now, change)).toBe(false);
    expect(await store.commit(id, fence, now, { ...change, ifRevision: 1 })).toBe(false);
    expect(await store.load(id)).toMatchObject({ run: { step: 0, snapshot: undefined }, calls: [{ id: 1 }] });
    expect(await store.commit(id, fence, now, { ...change, ifRevision: 0 })).toBe(true);
    expect(await store.load(id)).toMatchObject({ run: { step: 4 }, calls: [{ id: 7 }] });
    expect(await store.end(id, now, 'expired')).toBe(true);
    expect(await store.commit(id, fence, now, change)).toBe(false);
    expect(await store.load(id)).toMatchObject({ run: { state: 'expired', snapshot: undefined } });
    expect(await store.end(id, now, 'cancelled')).toBe(false);
  });

  test('of commits of two hosts at a time only those with the newest fence are in it', async () => {
    const { store, again } = opened();
    const { id } = await made(store);
    const hosts = [store, again(), again(), again()];
    const won: number[] = [];
    const race = async (each: RunStore, n: number): Promise<void> => {
      for (let round = 0; round < 10; round++) {
        // A claim that has run out at once: the next host may take it in the middle of this one's work.
        const fence = await each.claim(id, now + n, now);
        if (fence === undefined) continue;
        const call = 1 + n * 10 + round;
        const isIn = await each.commit(id, fence, now, { run: { step: call }, calls: [storedCall(call)] });
        if (isIn) won.push(call);
      }
    };
    await Promise.all(hosts.map(race));
    const loaded = await store.load(id);
    expect(loaded?.calls.map((call) => call.id)).toEqual(won.toSorted((one, two) => one - two));
    expect(won.length).toBeGreaterThan(0);
    expect(loaded?.fence).toBe(40);
  });

  test('applies decisions all or none, and each once', async () => {
    const { store, again } = opened();
    const { id } = await made(store, [
      storedCall(1),
      storedCall(2, { state: 'proposed', use: 'proposed' }),
      storedCall(3, { use: 'given' }),
    ]);
    const to = (call: number, from: StoredCall['state'] = 'approval') => ({
      call,
      from,
      to: { state: 'ready', answer: undefined, facts: { begunAt: 2 } } as const,
    });
    expect(await store.decide(id, now, [to(1), to(2)])).toBe(false);
    expect(await store.decide(id, now, [to(1), to(3)])).toBe(false);
    expect((await store.load(id))?.calls.map(({ state }) => state)).toEqual(['approval', 'proposed', 'approval']);
    const hosts = [store, again(), again()];
    const all = await Promise.all(hosts.map((each) => each.decide(id, now, [to(1), to(2, 'proposed')])));
    expect(all.filter(Boolean)).toHaveLength(1);
    expect(await store.load(id)).toMatchObject({
      revision: 1,
      run: { state: 'running' },
      calls: [{ facts: { begunAt: 2 } }, {}, {}],
    });
    await store.end(id, now, 'cancelled');
    expect(await store.decide(id, now, [to(3)])).toBe(false);
  });

  test('applies a thousand decisions at once', async () => {
    const { store } = opened();
    const calls = Array.from({ length: 1_200 }, (_, n) => storedCall(n + 1));
    const { id } = await made(store, calls);
    const to = { state: 'answered', answer: '{"value":1}', facts: { begunAt: 1 } } as const;
    const verdicts = calls.map((call) => ({ call: call.id, from: 'approval' as const, to }));
    expect(await store.decide(id, now, verdicts)).toBe(true);
    expect((await store.load(id))?.calls.every(({ state }) => state === 'answered')).toBe(true);
  });

  test('lists the newest of a tenant with what is open, and finds what is due and what has expired', async () => {
    const { store } = opened();
    const one = await made(store, [storedCall(1), storedCall(2, { use: 'given' }), storedCall(3, { use: 'proposed' })]);
    const two = await made(store, [], { createdAt: now + 9, state: 'waiting', wakeAt: now - 1 });
    const late = await made(store, [], { createdAt: now, state: 'waiting', expiresAt: now - 1, snapshot: undefined });
    await made(store, [], { tenant: 'other', expiresAt: now - 1 });
    const listed = await store.list({ tenant: 't', states: ['running', 'waiting'], limit: 10 });
    expect(listed.map(({ run }) => run.id)).toEqual([two.id, late.id, one.id]);
    expect(listed[2]?.calls.map(({ id }) => id)).toEqual([1, 3]);
    expect(await store.list({ tenant: 't', states: ['waiting'], limit: 1 })).toHaveLength(1);
    expect(await store.list({ tenant: 't', states: [], limit: 1 })).toEqual([]);
    expect(new Set(await store.due('t', now, 10))).toEqual(new Set([one.id, two.id]));
    await store.claim(one.id, now, now + 50);
    expect(await store.due('t', now, 10)).toEqual([two.id]);
    expect(await store.expire('t', now)).toEqual([late.id]);
    expect(await store.expire('t', now)).toEqual([]);
    expect((await store.load(late.id))?.run.state).toBe('expired');
  });

  test('is a store of runs from the first call to the last', async () => {
    const { make } = opened();
    const add = counting('add');
    const at = host([add, { name: 'ask', description: 'asks' }], { store: make() });
    const other = at.again({ store: make() });
    const run = await at.runs.startRun({
      script: `const a = await add(20); const b = await ask('b'); await add(a + b)`,
    });
    expect(run).toMatchObject({ state: 'waiting', calls: [{ tool: 'ask' }] });
    const all = await Promise.allSettled([at.runs, other].map((runs) => runs.resume(run.id, [{ id: 2, value: 22 }])));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect.poll(async () => (await other.get(run.id)).value).toBe(42);
    expect(add.made).toEqual([20, 42]);
  });

  async function made(
    store: RunStore,
    calls: readonly StoredCall[] = [],
    more: Partial<StoredRun> = {},
  ): Promise<StoredRun> {
    const run = storedRun(more);
    expect(await store.create(run, calls)).toBe(true);
    return run;
  }
});

test('a store that cannot be opened says so, and is tried again', async () => {
  const file = join(folder(), 'missing', 'runs.db');
  const store = sqliteStore(file);
  onTestFinished(() => store.close());
  const said = { code: 'store_unavailable', message: expect.stringContaining(file) as string };
  await expect(store.load('x')).rejects.toMatchObject(said);
  mkdirSync(join(file, '..'));
  writeFileSync(file, 'not a database, and longer than the header of one '.repeat(20));
  await expect(store.load('x')).rejects.toMatchObject(said);
  rmSync(file);
  expect(await store.load('x')).toBeUndefined();
  const nowhere = postgresStore('postgres://tester@%2Fnowhere/x');
  await expect(nowhere.load('x')).rejects.toThrow(/nowhere/);
  await nowhere.close();
});
