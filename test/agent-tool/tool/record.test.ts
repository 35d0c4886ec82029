import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { parseRecord, renderRecord, type ConsentFunction, type ScriptRecord } from '@mustard-sandbox/agent-tool';
import { failureOf } from '../../client/support.ts';
import { makeFolder } from '../../files/support.ts';
import { completed, crashing, denied, failed, recorder, toolFor } from './support.ts';

const appPath = (): string => makeFolder({ 'a.txt': 'a\u202eb' });

/** One of each kind, as they come back from storage. */
async function records(): Promise<Record<'completed' | 'cut' | 'failed' | 'denied' | 'invalid', ScriptRecord>> {
  const tool = toolFor({ appPath: appPath() });
  const calls = await Promise.all([
    completed(tool.execute({ script: 'read_file("a.txt")', description: 'reads a' })),
    completed(tool.execute({ script: '"x".repeat(100000)' })),
    failed(tool.execute({ script: 'const a = 1;\nnothing' })),
    denied(toolFor({ settings: { enabled: false } }).execute({ script: '1' })),
    failed(tool.execute({ script: '' })),
  ]);
  const stored = calls.map(({ record }) => JSON.parse(JSON.stringify(record)) as ScriptRecord);
  const [done, cut, broken, refused, invalid] = stored as [
    ScriptRecord,
    ScriptRecord,
    ScriptRecord,
    ScriptRecord,
    ScriptRecord,
  ];
  return { completed: done, cut, failed: broken, denied: refused, invalid };
}

test('every record survives storage', async () => {
  for (const record of Object.values(await records())) expect(parseRecord(record)).toEqual(record);
});

test('a record of a cut result is not longer than what the model got, and names the file', async () => {
  const { cut } = await records();
  expect(JSON.stringify(cut).length).toBeLessThan(66 * 1024);
  expect(cut).toMatchObject({
    result: { truncated: true, fullOutput: expect.stringMatching(/^attachments:script-output-/) as string },
  });
  expect(JSON.stringify(cut)).not.toContain('/tmp/');
});

describe('what a card shows of a call', () => {
  test('what it read, how much of the result the model got, and how it was confined', async () => {
    const folder = makeFolder({ 'server.log': 'x'.repeat(100_000) });
    const tool = toolFor({ attachments: [join(folder, 'server.log')] });
    const { record } = await completed(tool.execute({ script: 'read_file("attachments:server.log")' }));
    expect(record).toMatchObject({
      attachmentsRead: ['server.log'],
      isolation: expect.stringMatching(/^(?:process|jail)$/) as string,
      result: { truncated: true, totalBytes: 100_000 },
    });
    const { result } = record as Extract<ScriptRecord, { result: unknown }>;
    expect(result.shownBytes).toBe(result.text.match(/x{100,}/g)?.join('').length);
  });

  test('the place of an error, also after a crash of the sidecar its reason', async () => {
    const { record } = await failed(toolFor().execute({ script: 'const a = 1;\nthrow new Error("no");' }));
    expect(record).toMatchObject({ engine: 'quickjs', error: { location: { line: 2, precision: 'statement' } } });
    const crash = await failed(toolFor(crashing()).execute({ script: "'a'.repeat(500000000).length" }));
    expect(crash.record).toMatchObject({ error: { code: 'sidecar_crashed', reason: crash.error.details.reason } });
  });

  test('what a script that took too long spent its time on; and the failure has no long list of its calls', async () => {
    const folder = makeFolder({ a: 'x' });
    const script = 'for (let i = 0; i < 500; i++) read_file("attachments:a");\nwhile (true) {}';
    const limits = { timeoutMs: 1_000, instructions: 2e9 };
    const tool = toolFor({ attachments: [join(folder, 'a')], limits });
    const { record, error } = await failed(tool.execute({ script }));
    expect(record).toMatchObject({
      attachmentsRead: ['a'],
      error: {
        limit: { name: 'timeout_ms', value: 1_000, unit: 'ms' },
        spent: { calls: [{ name: 'read_file', calls: 500, bytes: 500 }] },
      },
    });
    const { spent } = (record as Extract<ScriptRecord, { error: unknown }>).error;
    expect(spent?.scriptMs).toBeGreaterThan(0);
    expect(error.details.profile).toBeUndefined();
    expect(parseRecord(JSON.parse(JSON.stringify(record)))).toEqual(record);
  });
});

test('a host can name a call: in its events, its question and its record', async () => {
  const { events, listen } = recorder();
  const consent = vi.fn<ConsentFunction>(async () => 'allow-once');
  const tool = toolFor({ settings: { consent: 'ask' }, consent, events: listen });
  const { record } = await completed(tool.execute({ script: '1' }, { runId: 'call-7' }));
  expect(record.runId).toBe('call-7');
  expect(consent.mock.calls[0]?.[0].runId).toBe('call-7');
  expect(events.map((event) => 'runId' in event && event.runId)).toEqual(['call-7', 'call-7', 'call-7']);
});

describe('what is no record', () => {
  test.each([
    ['nothing', undefined, 'record: Invalid input: expected object'],
    ['null', null, 'record: Invalid input: expected object'],
    ['a text', 'record', 'record: Invalid input: expected object'],
    ['no version', { version: undefined }, 'record: version'],
    ['no result', { result: undefined }, 'record: result'],
    ['a newer version', { version: 2 }, 'version 2, and this release reads up to version 1'],
    ['an unknown key', { extra: 1 }, 'record: Unrecognized key: "extra"'],
    ['an unknown error code', { error: { code: 'x', message: '', text: '' } }, 'record: error: code: is no error code'],
    ['a time that is none', { at: 'yesterday' }, 'record: at'],
    ['both a result and an error', { error: { code: 'timeout', message: '', text: '' } }, 'Unrecognized key: "result"'],
  ])('is refused: %s', async (_, change, message) => {
    const { completed: record } = await records();
    const wrong: unknown = typeof change === 'object' && change !== null ? { ...record, ...change } : change;
    expect(() => parseRecord(wrong)).toThrow(message);
    expect(() => renderRecord(wrong as ScriptRecord)).toThrow(message);
    expect(await failureOf(toolFor().rerun(wrong as ScriptRecord))).toMatchObject({ code: 'invalid_request' });
  });
});

describe('showing a record', () => {
  test('runs nothing, and needs no tool', async () => {
    const { completed: record } = await records();
    const text = renderRecord(record);
    expect(text.split('\n\n')).toEqual([
      'reads a',
      expect.stringMatching(/^\d{4}-.*Z · completed · \d+ ms · 5 B read$/),
      '    read_file("a.txt")',
      'a\\u{202e}b',
    ]);
    expect(renderRecord(JSON.parse(JSON.stringify(record)) as ScriptRecord)).toBe(text);
  });

  test('tells how it ended', async () => {
    const { failed: broken, denied: refused } = await records();
    expect(renderRecord(broken)).toMatch(
      /^Script\n\n.* · failed: script_error · \d+ ms\n\n {4}const a = 1;\n {4}nothing\n\n/,
    );
    expect(renderRecord(refused)).toContain(' · not allowed · ');
  });
});

describe('running a record again', () => {
  test('asks for consent like any other call, and makes a record of its own', async () => {
    const { completed: record } = await records();
    const consent = vi.fn<ConsentFunction>(async () => 'deny');
    const folder = appPath();
    const tool = toolFor({ appPath: folder, settings: { consent: 'ask' }, consent });
    await denied(tool.rerun(record));
    expect(consent).toHaveBeenCalledWith(
      expect.objectContaining({ script: record.script, description: 'reads a' }),
      expect.anything(),
    );
    consent.mockResolvedValue('allow-once');
    const again = await completed(tool.rerun(record));
    expect(again.value).toBe('a\u202eb');
    expect(Date.parse(again.record.at)).toBeGreaterThanOrEqual(Date.parse(record.at));
  });

  test('of a script that was refused, or never fit, is an answer again', async () => {
    const { denied: refused, invalid } = await records();
    expect((await completed(toolFor().rerun(refused))).value).toBe(1);
    expect((await failed(toolFor().rerun(invalid))).error.code).toBe('invalid_request');
  });

  test('ends by its signal', async () => {
    const { completed: record } = await records();
    const rerun = toolFor({ appPath: appPath() }).rerun(record, { signal: AbortSignal.abort() });
    expect((await failed(rerun)).error.code).toBe('cancelled');
  });
});
