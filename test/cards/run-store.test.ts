import { followSandbox, parseRecord, type ScriptRecord } from '@mustard-sandbox/agent-tool';
import { createRunStore, type CardEvent, type RunStore } from '@mustard-sandbox/cards';
import { createSandbox } from '@mustard-sandbox/client';
import { describe, expect, test, vi } from 'vitest';
import { statusOf } from '../../packages/cards/src/run/run.ts';
import { crashing, toolFor } from '../agent-tool/tool/support.ts';

/** A tool whose events go into a store, as a host would do it; and every status that its runs went through. */
function hostWith(options: Parameters<typeof toolFor>[0] = {}): {
  store: RunStore;
  call: (runId: string, script: string) => Promise<ScriptRecord>;
  history: string[];
  events: CardEvent[];
} {
  const events: CardEvent[] = [];
  const history: string[] = [];
  const listeners = new Set<(event: CardEvent) => void>();
  const tell = (event: CardEvent): void => {
    events.push(event);
    for (const listener of listeners) listener(event);
  };
  const store = createRunStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  });
  store.subscribe(() => history.push(...store.getSnapshot().map(statusOf)));
  const tool = toolFor({ ...options, events: tell });
  const call = async (runId: string, script: string): Promise<ScriptRecord> => {
    tell({ type: 'card.called', at: new Date().toISOString(), runId, script });
    const { record } = await tool.execute({ script }, { runId });
    tell({ type: 'card.answered', at: new Date().toISOString(), runId, record });
    return record;
  };
  return { store, call, history, events };
}

describe('the events of a real tool make the cards', () => {
  test('a run that is asked about, allowed, and ends', async () => {
    const { store, call, history } = hostWith({ settings: { consent: 'ask' }, consent: async () => 'allow-once' });
    const record = await call('a', '1 + 1');
    expect(history).toEqual(['running', 'waiting', 'running', 'success', 'success']);
    expect(store.get('a')).toBe(record);
  });

  test('a script has begun once it runs, and not while it is only called or asked about', async () => {
    const begun: unknown[] = [];
    const { store, call } = hostWith({
      settings: { consent: 'ask' },
      consent: async () => {
        begun.push(store.get('a'));
        return 'allow-once';
      },
    });
    store.subscribe(() => begun.push(store.get('a')));
    await call('a', '1 + 1');
    const [called, asked, , running] = begun as { begun?: boolean; status: string }[];
    expect(called).toMatchObject({ status: 'running' });
    expect(asked).toMatchObject({ status: 'waiting' });
    expect([called?.begun, asked?.begun]).toEqual([undefined, undefined]);
    expect(running).toMatchObject({ status: 'running', begun: true });
  });

  test.each([
    ['throw new Error("x")', 'error'],
    ['while (true) {}', 'timeout'],
    ["'a'.repeat(500000000).length", 'crashed'],
  ])('%s is a card of the kind %s, by its events and by its record', async (script, status) => {
    const crashes = status === 'crashed' && crashing();
    const { store, call, events } = hostWith({
      limits: { timeoutMs: status === 'timeout' ? 150 : 10_000 },
      ...crashes,
    });
    await call('a', script);
    expect(statusOf(store.get('a')!)).toBe(status);
    const withoutRecord = createRunStore();
    for (const event of events) if (event.type !== 'card.answered') withoutRecord.dispatch(event);
    expect(withoutRecord.get('a')).toMatchObject({ status, script });
  });

  test('one that is quarantined is a card of the kind crashed, by its events as by its record', async () => {
    await using sandbox = createSandbox({ spares: 0, quarantineAfter: 1, engine: 'mustardscript' });
    const { store, call, events } = hostWith({ sandbox });
    for (const runId of ['a', 'b']) await call(runId, "'a'.repeat(500000000).length");
    expect(store.get('b')).toMatchObject({ error: { code: 'quarantined' } });
    expect(statusOf(store.get('b')!)).toBe('crashed');
    const withoutRecord = createRunStore();
    for (const event of events) if (event.type !== 'card.answered') withoutRecord.dispatch(event);
    expect(withoutRecord.get('b')).toMatchObject({ status: 'crashed' });
  });

  test('one that is denied, and a call of a host function that is', async () => {
    const denied = hostWith({ settings: { consent: 'ask' }, consent: async () => 'deny' });
    await denied.call('a', '1');
    expect(denied.history).toEqual(['running', 'waiting', 'denied', 'denied']);

    const functions = hostWith({
      consent: async () => 'deny',
      hostFunctions: {
        deploy: { handler: () => 1, declaration: 'declare function deploy(): number;', consent: 'ask' },
      },
    });
    await functions.call('b', 'try { deploy() } catch (e) { 2 }');
    expect(functions.history).toEqual(['running', 'running', 'waiting', 'running', 'success', 'success']);
  });
});

test('a stored chat is shown from its records alone, and what comes late changes nothing', async () => {
  const { call, events } = hostWith();
  const record = parseRecord(JSON.parse(JSON.stringify(await call('a', '6 * 7'))));
  const store = createRunStore();
  store.dispatch({ type: 'card.answered', at: record.at, runId: 'a', record });
  const shown = store.getSnapshot();
  for (const event of events) if (event.type !== 'card.answered') store.dispatch(event);
  expect(store.getSnapshot()).toBe(shown);
  expect(shown).toEqual([record]);
});

test('tells its listeners only what changed, keeps the others as they are, and ends', () => {
  const unsubscribe = vi.fn<() => void>();
  const store = createRunStore(() => unsubscribe);
  const listener = vi.fn<() => void>();
  const stop = store.subscribe(listener);
  const called = (runId: string): CardEvent => ({
    type: 'card.called',
    at: '2026-01-01T00:00:00Z',
    runId,
    script: '1',
  });
  store.dispatch(called('a'));
  const [first] = store.getSnapshot();
  store.dispatch(called('b'));
  expect(store.getSnapshot()[0]).toBe(first);
  store.dispatch({
    type: 'attachment.stored',
    at: '2026-01-01T00:00:00Z',
    name: 'a',
    size: 1,
    deduplicated: false,
  });
  expect(listener).toHaveBeenCalledTimes(2);
  stop();
  store.dispatch(called('c'));
  expect(listener).toHaveBeenCalledTimes(2);
  store.close();
  expect(unsubscribe).toHaveBeenCalledOnce();
});

describe('the events of a real sandbox tell how it is', () => {
  test('it cannot be started; and when nothing listens any more, nothing changes', async () => {
    await using sandbox = createSandbox({ command: [process.execPath, '-e', 'process.exit(7)'], spares: 0 });
    const store = createRunStore();
    const told = vi.fn();
    store.subscribe(told);
    expect(store.getHealth()).toEqual({ state: 'ready' });
    const stop = followSandbox(sandbox, store.dispatch);
    await expect(sandbox.run({ script: '1' })).rejects.toMatchObject({ code: 'sidecar_unavailable' });
    const health = store.getHealth();
    expect(health.state).not.toBe('ready');
    expect(health.message).toContain('7');
    expect(Date.parse(health.retryAt as string)).toBeGreaterThan(Date.now() - 60_000);
    expect(told).toHaveBeenCalled();
    expect(store.getSnapshot()).toEqual([]);
    stop();
    await sandbox.run({ script: '1' }).catch(() => {});
    expect(store.getHealth()).toBe(health);
  });

  test('it recovers, loses its jail and gets it back, each told once', () => {
    const store = createRunStore();
    const told = vi.fn();
    store.subscribe(told);
    const at = '2026-03-02T10:00:00.000Z';
    store.dispatch({ type: 'sandbox.confined', at });
    store.dispatch({ type: 'sandbox.ready', at });
    expect(told).not.toHaveBeenCalled();
    store.dispatch({ type: 'sandbox.unconfined', at, reason: 'no bubblewrap' });
    store.dispatch({ type: 'sandbox.not_ready', at, state: 'restarting', retryMs: 1_500, message: 'gone' });
    expect(store.getHealth()).toEqual({
      state: 'restarting',
      message: 'gone',
      retryAt: '2026-03-02T10:00:01.500Z',
      unconfined: 'no bubblewrap',
    });
    store.dispatch({ type: 'sandbox.ready', at });
    expect(store.getHealth()).toEqual({ state: 'ready', unconfined: 'no bubblewrap' });
    store.dispatch({ type: 'sandbox.confined', at });
    expect(store.getHealth()).toEqual({ state: 'ready' });
    expect(told).toHaveBeenCalledTimes(4);
  });
});
