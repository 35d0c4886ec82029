import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@libsql/client/sqlite3';
import { SandboxError, type LocalSandbox } from '@mustard-sandbox/client';
import { sqliteStore, type RunStore } from '@mustard-sandbox/runs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { snapshotSealer, type Bound } from '../../packages/runs/src/seal.ts';
import { runs as tries } from '../full.ts';
import { counting, folder, host, key, sandbox, type Host } from './support.ts';

const ask = { name: 'ask', description: 'asks' };

/** Changes the store beneath a host, as somebody might who can write there. */
async function tamper({ file }: Host, sql: string, args: (string | number | Uint8Array)[] = []): Promise<void> {
  const client = createClient({ url: `file:${file}` });
  await client.execute({ sql, args });
  client.close();
}

async function read({ file }: Host, sql: string): Promise<Uint8Array[]> {
  const client = createClient({ url: `file:${file}` });
  const { rows } = await client.execute(sql);
  client.close();
  return rows.map((row) => new Uint8Array(row[0] as ArrayBuffer));
}

async function refusalOf(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SandboxError);
  expect((error as SandboxError).code).toBe('snapshot_refused');
  return (error as SandboxError).details.refusal;
}

describe('what is kept is sealed', () => {
  const script = 'const secret = "swordfish".repeat(3); await ask(1); await ask(2); secret.length';

  test('nothing of the script, its inputs or its memory can be read in the store', async () => {
    const at = host([ask]);
    await at.runs.startRun({ script, inputs: { password: 'open sesame' } });
    const [snapshot, spec] = [
      ...(await read(at, 'SELECT snapshot FROM runs')),
      ...(await read(at, 'SELECT spec FROM runs')),
    ];
    for (const bytes of [snapshot, spec]) {
      expect(Buffer.from(bytes as Uint8Array).toString('latin1')).not.toMatch(/swordfish|sesame|const secret/);
    }
  });

  test('a forged one, that of another step, run or tenant, and one of an unknown key are refused by name', async () => {
    const at = host([ask]);
    const run = await at.runs.startRun({ script });
    const [first] = await read(at, `SELECT snapshot FROM runs`);
    const resume = (value: unknown, id = 2) => at.again().resume(run.id, [{ id, value }]);
    await at.runs.resume(run.id, [{ id: 1, value: 'a' }]);
    const [second] = await read(at, `SELECT snapshot FROM runs`);
    const put = (bytes: Uint8Array) => tamper(at, 'UPDATE runs SET snapshot = ? WHERE id = ?', [bytes, run.id]);

    const flipped = Buffer.from(second as Uint8Array);
    flipped[flipped.length - 5]! ^= 1;
    await put(flipped);
    expect(await refusalOf(resume('b'))).toBe('forged');
    expect(await at.runs.get(run.id)).toMatchObject({
      state: 'waiting',
      waitsFor: ['restart'],
      problem: { code: 'snapshot_refused' },
    });
    await put(first as Uint8Array);
    expect(await refusalOf(at.again().resume(run.id, []))).toBe('stale');

    const other = await at.runs.startRun({ script });
    const [foreign] = await read(at, `SELECT snapshot FROM runs WHERE id = '${other.id}'`);
    await put(foreign as Uint8Array);
    expect(await refusalOf(at.again().resume(run.id, []))).toBe('foreign');
    await put(second as Uint8Array);
    await tamper(at, `UPDATE runs SET tenant = 'thief' WHERE id = '${run.id}'`);
    expect(await refusalOf(at.again({ tenant: 'thief' }).resume(run.id, []))).toBe('foreign');
    await tamper(at, `UPDATE runs SET tenant = '' WHERE id = '${run.id}'`);

    expect(await refusalOf(at.again({ keys: [key('second')] }).resume(run.id, []))).toBe('unknown_key');
    expect(await refusalOf(at.again({ keys: [{ ...key(), id: 'first' }] }).resume(run.id, []))).toBe('forged');
    // What is whole goes on.
    expect(await at.again().resume(run.id, [])).toMatchObject({ state: 'completed', value: 27 });
  });

  test('keys may be rotated: the first seals, all open', async () => {
    const at = host([ask]);
    const run = await at.runs.startRun({ script });
    const rotated = at.again({ keys: [key('second'), ...at.keys] });
    await rotated.resume(run.id, [{ id: 1, value: 1 }]);
    const [snapshot] = await read(at, 'SELECT snapshot FROM runs');
    expect(Buffer.from(snapshot as Uint8Array).toString('latin1')).toContain('"key":"second"');
    expect(await rotated.resume(run.id, [{ id: 2, value: 1 }])).toMatchObject({ state: 'completed' });
  });

  test('a run is bound to its tools by version, and to its attachments by content', async () => {
    const path = join(folder(), 'a.txt');
    writeFileSync(path, 'one');
    const at = host([ask]);
    const scope = { attachments: [{ name: 'a.txt', path }] };
    const run = await at.runs.startRun({
      script: `read_file('attachments:a.txt') + await ask(1)`,
      scope,
      engine: 'quickjs',
    });
    const next = [{ id: 1, value: '!' }];
    expect(await refusalOf(at.again({ tools: [{ ...ask, version: '2' }] }).resume(run.id, next))).toBe('tools_changed');
    writeFileSync(path, 'two');
    expect(await refusalOf(at.again().resume(run.id, []))).toBe('file_changed');
    writeFileSync(path, 'one');
    expect(await at.again().resume(run.id, [])).toMatchObject({ value: 'one!' });
  });

  const bound: Bound = { tenant: 't', run: 'r', step: 3, script: 's', scope: 'o', files: 'f', tools: 'x' };

  test('any change of any byte is refused, and never opened', () => {
    const sealer = snapshotSealer([key()]);
    const sealed = sealer.seal(randomBytes(300), bound);
    const change = fc.record({ at: fc.nat(sealed.length - 1), by: fc.integer({ min: 1, max: 255 }), cut: fc.nat(40) });
    fc.assert(
      fc.property(change, ({ at, by, cut }) => {
        const damaged = Buffer.from(sealed.subarray(0, cut > 30 ? sealed.length - cut : undefined));
        damaged[at % damaged.length]! ^= by;
        expect(() => sealer.open(damaged, bound)).toThrow(SandboxError);
      }),
      tries(10_000),
    );
  });

  test.each([
    ['tenant', 'foreign'],
    ['run', 'foreign'],
    ['step', 'stale'],
    ['script', 'other_script'],
    ['scope', 'scope_changed'],
    ['files', 'file_changed'],
    ['tools', 'tools_changed'],
  ] as const)('what is bound to another %s is refused as %s', (field, refusal) => {
    const sealer = snapshotSealer([key()]);
    const sealed = sealer.seal(Buffer.from('x'), { ...bound, [field]: field === 'step' ? 4 : 'other' });
    expect(() => sealer.open(sealed, bound)).toThrow(
      expect.objectContaining({ code: 'snapshot_refused', details: { refusal } }),
    );
  });
});

describe('a host that dies', () => {
  /** A store of a host that dies at a moment: from then on it writes nothing. */
  function dying(store: RunStore, isDead: () => boolean): RunStore {
    const die = (): Promise<never> => new Promise(() => {});
    return new Proxy(store, {
      get: (target, name: keyof RunStore) => (isDead() ? die : target[name].bind(target as never)),
    });
  }

  test.each([
    [false, 'waits for a person to say what became of it'],
    [true, 'is made again with the same key, where the tool says so'],
  ])('a call under way (idempotent: %s) %s', async (idempotent) => {
    let isDead = false;
    const keys: string[] = [];
    const pay = counting('pay', {
      idempotent,
      execute: (_, { key: callKey }) => {
        keys.push(callKey);
        if (keys.length > 1) return 'paid';
        isDead = true;
        return new Promise(() => {});
      },
    });
    const at = host([pay]);
    const first = at.mortal({ store: dying(sqliteStore(at.file), () => isDead), leaseMs: 200 });
    void first.startRun({ script: 'await pay(5)' });
    await expect.poll(() => isDead).toBe(true);
    const second = at.again();
    await expect.poll(async () => (await second.recover()).length).toBe(1);
    const [run] = await second.list();
    if (idempotent) {
      expect(run).toMatchObject({ state: 'completed', value: 'paid' });
      expect(keys).toEqual([`${run?.id}:1`, `${run?.id}:1`]);
      return;
    }
    expect(run).toMatchObject({ state: 'waiting', waitsFor: ['outcomes'], calls: [{ id: 1, state: 'unknown' }] });
    expect(keys).toHaveLength(1);
    expect(await second.resume(run?.id as string, [{ id: 1, value: 'it was' }])).toMatchObject({ value: 'it was' });
    expect(keys).toHaveLength(1);
  });

  test.each([
    ['not_done', 'not_done', 1],
    ['try_again', 'paid', 2],
  ] as const)('an unknown outcome is decided as %s', async (outcome, value, made) => {
    const pay = counting('pay', { execute: () => (pay.made.push(1), 'paid') });
    const at = host([pay]);
    const run = await at
      .again({ tools: [{ ...pay, needsApproval: true }] })
      .startRun({ script: 'try { await pay(1) } catch (error) { error.code }' });
    pay.made.push(1);
    await tamper(at, `UPDATE calls SET state = 'under_way'`);
    await tamper(at, `UPDATE runs SET state = 'running'`);
    expect(await at.runs.recover()).toMatchObject([{ waitsFor: ['outcomes'] }]);
    expect(await at.runs.resume(run.id, [{ id: 1, outcome }])).toMatchObject({ state: 'completed', value });
    expect(pay.made).toHaveLength(made);
  });

  test('a claim that went to another host can write nothing more', async () => {
    const at = host([ask]);
    const store = sqliteStore(at.file);
    const { id } = await at.runs.startRun({ script: 'await ask(1)' });
    const old = await store.claim(id, Date.now(), Date.now() + 10_000);
    expect(await store.claim(id, Date.now(), Date.now() + 10_000)).toBeUndefined();
    const fresh = await store.claim(id, Date.now() + 20_000, Date.now() + 30_000);
    const change = { run: { state: 'failed' }, calls: [] } as const;
    expect(await store.commit(id, old as number, Date.now(), change)).toBe(false);
    expect((await at.runs.get(id)).state).toBe('waiting');
    expect(await store.commit(id, fresh as number, Date.now(), change)).toBe(true);
    await store.close();
  });

  test('a segment whose sidecar dies is run again', async () => {
    let left = 2;
    const box: Pick<LocalSandbox, 'runSegment'> = {
      runSegment: async (options) => {
        const result = await sandbox().runSegment(options);
        if (left-- > 0) throw new SandboxError('sidecar_crashed', 'killed', { details: { reason: 'killed' } });
        return result;
      },
    };
    const add = counting('add');
    const { runs } = host([add], { sandbox: box });
    expect(await runs.startRun({ script: 'await add(4)' })).toMatchObject({ state: 'completed', value: 4 });
    expect(add.made).toEqual([4]);
  });
});

describe('a run that is started again', () => {
  test('gets the answers of its ledger, and makes no call twice', async () => {
    const add = counting('add');
    const at = host([add, ask]);
    const script = 'const a = await add(1); const b = await add(2); const c = await ask("c"); [a, b, c]';
    const run = await at.runs.startRun({ script });
    await tamper(at, `UPDATE runs SET snapshot = X'00'`);
    expect(await refusalOf(at.runs.resume(run.id, [{ id: 3, value: 'late' }]))).toBe('forged');
    const again = await at.runs.restart(run.id);
    expect(again).toMatchObject({ state: 'completed', value: [1, 2, 'late'] });
    expect(add.made).toEqual([1, 2]);
  });

  test('says so where the script then makes other calls', async () => {
    const at = host([counting('add'), ask]);
    const run = await at.runs.startRun({ script: 'await add(Math.random()); await ask(1)' });
    expect(await at.runs.restart(run.id)).toMatchObject({ state: 'failed', problem: { code: 'ledger_mismatch' } });
  });

  test('does so only when it is told to: an engine of another version is named', async () => {
    const old: Pick<LocalSandbox, 'runSegment'> = {
      runSegment: (options) =>
        options.from === undefined
          ? sandbox().runSegment(options)
          : Promise.reject(
              new SandboxError('snapshot_refused', 'of quickjs 3.6.1', { details: { refusal: 'engine_version' } }),
            ),
    };
    const at = host([ask], { sandbox: old });
    const run = await at.runs.startRun({ script: 'await ask(1)' });
    expect(await refusalOf(at.runs.resume(run.id, [{ id: 1, value: 2 }]))).toBe('engine_version');
    expect(await at.runs.recover()).toEqual([]);
    expect(await at.runs.get(run.id)).toMatchObject({ state: 'waiting', waitsFor: ['restart'] });
    expect(await at.again({ sandbox: sandbox() }).restart(run.id)).toMatchObject({ state: 'completed', value: 2 });
  });
});
