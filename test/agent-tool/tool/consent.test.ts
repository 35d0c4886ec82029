import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type {
  ConsentAnswer,
  ConsentFunction,
  ConsentRequest,
  Settings,
  SettingsInput,
} from '@mustard-sandbox/agent-tool';
import { failureOf } from '../../client/support.ts';
import { makeFolder } from '../../files/support.ts';
import { completed, denied, failed, recorder, toolFor } from './support.ts';

const script = '1 + 1';
const ask = { consent: 'ask' } as const;

/** A person who is asked, and answers when told to. */
function person(): { consent: ConsentFunction; asked: Question[] } {
  const asked: Question[] = [];
  const consent: ConsentFunction = (request, { signal }) =>
    new Promise((resolve, reject) => asked.push({ request, signal, answer: resolve, fail: reject }));
  return { consent, asked };
}

interface Question {
  request: ConsentRequest;
  signal: AbortSignal;
  answer: (answer: ConsentAnswer) => void;
  fail: (error: Error) => void;
}

describe('the setting', () => {
  test('is to ask, when nothing is set', async () => {
    const consent = vi.fn<ConsentFunction>(async () => 'allow-once');
    const tool = toolFor({ settings: {}, consent });
    await completed(tool.execute({ script }));
    await completed(tool.execute({ script }));
    expect(consent).toHaveBeenCalledTimes(2);
  });

  test('always asks nobody', async () => {
    const consent = vi.fn<ConsentFunction>(async () => 'deny');
    await completed(toolFor({ settings: { consent: 'always' }, consent }).execute({ script }));
    expect(consent).not.toHaveBeenCalled();
  });

  test('never asks nobody and runs nothing', async () => {
    const consent = vi.fn<ConsentFunction>(async () => 'allow-always');
    const result = await denied(toolFor({ settings: { consent: 'never' }, consent }).execute({ script }));
    expect(result).toMatchObject({ by: 'settings', reason: 'never', record: { denied: { by: 'settings' }, script } });
    expect(consent).not.toHaveBeenCalled();
  });

  test('is read at each call, and never goes before what was allowed for always', async () => {
    const settings: Partial<Settings> = {};
    const consent = vi.fn<ConsentFunction>(async () => 'allow-always');
    const tool = toolFor({ settings: () => settings, consent });
    await completed(tool.execute({ script }));
    settings.consent = 'never';
    await denied(tool.execute({ script }));
    settings.consent = 'ask';
    await completed(tool.execute({ script }));
    settings.enabled = false;
    expect(await denied(tool.execute({ script }))).toMatchObject({ reason: 'disabled' });
    expect(consent).toHaveBeenCalledTimes(1);
  });

  test('that cannot be read, or makes no sense, is the fault of the host, and nothing runs', async () => {
    const { listen, types } = recorder();
    const broken = toolFor({
      settings: () => {
        throw new Error('disk');
      },
      events: listen,
    });
    await expect(broken.execute({ script })).rejects.toThrow('disk');
    const late = toolFor({ settings: () => Promise.resolve({}) as never, events: listen });
    expect(await failureOf(late.execute({ script }))).toMatchObject({ code: 'invalid_request' });
    const wrong = toolFor({ settings: () => ({ consent: 'sometimes' }) as never, events: listen });
    expect(await failureOf(wrong.execute({ script }))).toMatchObject({
      code: 'invalid_request',
      message: 'settings: consent: must be one of ask, always, never.',
    });
    expect(types()).toEqual([]);
  });
});

describe('the request', () => {
  test('has the script, the files it will see, and a preview of both', async () => {
    const appPath = makeFolder({ 'server.log': 'x'.repeat(2048) });
    const consent = vi.fn<ConsentFunction>(async () => 'allow-once');
    const attachments = [join(appPath, 'server.log'), join(appPath, 'gone.log')];
    await toolFor({ settings: ask, consent, appPath, attachments }).execute({ script, description: 'adds' });
    expect(consent).toHaveBeenCalledWith(
      {
        runId: expect.any(String) as string,
        script,
        description: 'adds',
        preview: `adds\n\n  1 + 1\n\nMay read: the folder ${appPath}, server.log (2 KB)`,
        files: [{ name: 'server.log', size: 2048 }],
        root: appPath,
      },
      { signal: expect.any(AbortSignal) as AbortSignal },
    );
  });
});

describe('the answer', () => {
  test('deny is an answer that the model understands, and an event', async () => {
    const { events, listen } = recorder();
    const tool = toolFor({ settings: ask, consent: async () => 'deny', events: listen });
    const result = await denied(tool.execute({ script }));
    expect(result).toMatchObject({ by: 'user', reason: 'declined' });
    expect(result.text).toMatch(/^Not allowed: the user declined this script\..*ask the user/);
    expect(events).toEqual([
      expect.objectContaining({ type: 'sandbox.script.asked' }) as unknown,
      expect.objectContaining({ type: 'sandbox.script.denied', by: 'user', reason: 'declined' }) as unknown,
    ]);
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  test('is needed where the setting asks: nobody to ask is a no', async () => {
    const result = await denied(toolFor({ settings: ask }).execute({ script }));
    expect(result).toMatchObject({ by: 'error', reason: 'no_consent_function' });
    expect(result.text).toContain('this application cannot ask for it');
  });

  test.each([
    [
      'that throws',
      () => {
        throw new Error('no window');
      },
      'consent_failed',
      'no window',
    ],
    ['that rejects', () => Promise.reject(new Error('no window')), 'consent_failed', 'no window'],
    ['that throws nothing in particular', () => Promise.reject(), 'consent_failed', 'undefined'],
    ['out of the blue', () => 'yes', 'unknown_answer', 'yes'],
    ['true', () => true, 'unknown_answer', 'true'],
    ['nothing', () => undefined, 'unknown_answer', 'undefined'],
    ['what has no text', () => Object.create(null) as unknown, 'unknown_answer', 'an error without a message'],
  ])('%s is a no, and the host can see why', async (_, consent, reason, problem) => {
    const { types, listen } = recorder();
    const tool = toolFor({ settings: ask, consent: consent as ConsentFunction, events: listen });
    const result = await denied(tool.execute({ script }));
    expect(result).toMatchObject({ by: 'error', reason, problem });
    expect(result.text).toContain('asking for it failed');
    expect(types()).toEqual(['sandbox.script.asked', 'sandbox.script.denied']);
  });

  test('that never comes is a no after the time for it, and the question is taken back', async () => {
    const { consent, asked } = person();
    const result = await denied(toolFor({ settings: ask, consent, consentTimeoutMs: 30 }).execute({ script }));
    expect(result).toMatchObject({ by: 'error', reason: 'consent_timeout', problem: 'no answer within 30 ms' });
    expect(asked[0]?.signal.aborted).toBe(true);
  });

  test('is not waited for after an abort', async () => {
    const { consent, asked } = person();
    const controller = new AbortController();
    const answer = failed(toolFor({ settings: ask, consent }).execute({ script }, { signal: controller.signal }));
    await vi.waitUntil(() => asked.length === 1, 30_000);
    controller.abort();
    expect((await answer).error.code).toBe('cancelled');
    expect(asked[0]?.signal.aborted).toBe(true);
  });

  test('that comes late allows nothing', async () => {
    const { consent, asked } = person();
    const tool = toolFor({ settings: ask, consent, consentTimeoutMs: 30 });
    await denied(tool.execute({ script }));
    asked[0]?.answer('allow-always');
    await denied(tool.execute({ script }));
    expect(asked).toHaveLength(2);
  });

  test('does not count as the time of the script', async () => {
    let waitedMs = 0;
    const consent: ConsentFunction = async () => {
      const askedAt = performance.now();
      await setTimeout(300);
      waitedMs = performance.now() - askedAt;
      return 'allow-once';
    };
    // Its clock would be over by then.
    const tool = toolFor({ settings: { consent: 'ask', timeoutMs: 200 }, consent });
    await completed(toolFor().execute({ script }));
    const startedAt = performance.now();
    const { durationMs } = await completed(tool.execute({ script }));
    expect(durationMs).toBeLessThanOrEqual(performance.now() - startedAt - waitedMs);
    expect(durationMs).toBeGreaterThan(0);
  });
});

describe('questions at the same time', () => {
  test('come one after the other', async () => {
    const { consent, asked } = person();
    const tool = toolFor({ settings: ask, consent });
    const [first, second] = [tool.execute({ script: '1' }), tool.execute({ script: '2' })];
    await vi.waitUntil(() => asked.length === 1, 30_000);
    expect(asked[0]?.request.script).toBe('1');
    asked[0]?.answer('deny');
    await denied(first);
    await vi.waitUntil(() => asked.length === 2, 30_000);
    asked[1]?.answer('allow-once');
    expect((await completed(second)).value).toBe(2);
  });

  test('are answered together by allow-always', async () => {
    const { consent, asked } = person();
    const tool = toolFor({ settings: ask, consent });
    const answers = ['1', '2', '3'].map((text) => completed(tool.execute({ script: text })));
    await vi.waitUntil(() => asked.length === 1, 30_000);
    asked[0]?.answer('allow-always');
    expect((await Promise.all(answers)).map(({ value }) => value)).toEqual([1, 2, 3]);
    expect(asked).toHaveLength(1);
  });

  test('keep their order when one in the middle is taken back', async () => {
    const { consent, asked } = person();
    const tool = toolFor({ settings: ask, consent });
    const controller = new AbortController();
    const first = tool.execute({ script: '1' });
    const second = tool.execute({ script: '2' }, { signal: controller.signal });
    const third = tool.execute({ script: '3' });
    await vi.waitUntil(() => asked.length === 1, 30_000);
    controller.abort();
    expect((await failed(second)).error.code).toBe('cancelled');
    expect(asked).toHaveLength(1);
    asked[0]?.fail(new Error('closed'));
    await denied(first);
    await vi.waitUntil(() => asked.length === 2, 30_000);
    expect(asked[1]?.request.script).toBe('3');
    asked[1]?.answer('allow-once');
    expect((await completed(third)).value).toBe(3);
  });
});

test('a script that cannot run asks nobody, and fails as it would without consent', async () => {
  const consent = vi.fn<ConsentFunction>(async () => 'allow-once');
  const script = 'const = 1';
  const asked = await failed(toolFor({ settings: { consent: 'ask' }, consent }).execute({ script }));
  const unasked = await failed(toolFor({ settings: { consent: 'always' } }).execute({ script }));
  // What the sidecar holds is told with a failed run, and not with a validation.
  const { residentBytes: _, ...details } = unasked.error.details;
  expect(asked.error).toEqual({ ...unasked.error, details });
  expect(consent).not.toHaveBeenCalled();
});

test('a script that is turned off during the question does not run after a yes', async () => {
  let settings: SettingsInput = { consent: 'ask' };
  const consent: ConsentFunction = async () => {
    settings = { consent: 'never' };
    return 'allow-always';
  };
  const tool = toolFor({ settings: () => settings, consent });
  expect(await tool.execute({ script: '1' })).toMatchObject({ status: 'denied', reason: 'never' });
});

test('those that wait behind a question that nobody answers do not wait as long again', async () => {
  const consent = vi.fn<ConsentFunction>(() => new Promise(() => {}));
  const tool = toolFor({ settings: { consent: 'ask' }, consent, consentTimeoutMs: 300 });
  const results = await Promise.all(['1', '2', '3', '4'].map((script) => tool.execute({ script })));
  expect(results.map((result) => result.status === 'denied' && result.reason)).toEqual(
    Array(4).fill('consent_timeout'),
  );
  expect(consent).toHaveBeenCalledTimes(1);
});
