import { describe, expect, test, vi } from 'vitest';
import type { ConsentFunction, ExecuteSandboxScriptToolOptions } from '@mustard-sandbox/agent-tool';
import { completed, denied, failed, recorder, toolFor } from './support.ts';

type Functions = NonNullable<ExecuteSandboxScriptToolOptions['hostFunctions']>;

function deploying(more: object = {}): { deploy: Functions[string] & { handler: ReturnType<typeof vi.fn> } } {
  const handler = vi.fn((target: unknown) => `deployed ${String(target)}`);
  return { deploy: { handler, declaration: 'declare function deploy(target: string): string;', ...more } };
}

const caught = 'try { deploy("production") } catch (e) { [e.code, e.message] }';

describe('a host function', () => {
  test('is called by the script, and needs no question of its own', async () => {
    const hostFunctions = deploying();
    const tool = toolFor({ hostFunctions });
    const { value, hostCalls } = await completed(tool.execute({ script: 'deploy("a") + "!"' }));
    expect({ value, hostCalls }).toEqual({ value: 'deployed a!', hostCalls: 1 });
  });

  test('that takes too long is an error that the script can catch', async () => {
    const hostFunctions = deploying({ handler: () => new Promise(() => {}), timeoutMs: 40 });
    for (const consent of ['always', 'ask'] as const) {
      const options = {
        hostFunctions: { deploy: { ...hostFunctions.deploy, consent } },
        consent: async () => 'allow-once' as const,
      };
      const { value } = await completed(toolFor(options).execute({ script: caught }));
      expect(value).toEqual(['capability_timeout', expect.stringContaining('40 ms')]);
    }
  });
});

describe('a host function that asks', () => {
  test('asks on each call with its arguments, also where scripts are always allowed', async () => {
    const hostFunctions = deploying({ consent: 'ask' });
    const consent = vi.fn<ConsentFunction>(async () => 'allow-once');
    const script = 'deploy("a\\u202e"); deploy("b")';
    const { value } = await completed(toolFor({ hostFunctions, consent }).execute({ script, description: 'both' }));
    expect(value).toBe('deployed b');
    expect(consent.mock.calls.map(([request]) => request)).toEqual([
      {
        script,
        runId: expect.any(String) as string,
        description: 'both',
        files: [],
        hostFunction: 'deploy',
        args: ['a\u202e'],
        preview: `The script calls deploy('a\\u{202e}')`,
      },
      expect.objectContaining({ args: ['b'], preview: "The script calls deploy('b')" }) as unknown,
    ]);
  });

  test('is asked about once when it is allowed for always, which allows no script and no other function', async () => {
    const functions = { ...deploying({ consent: 'ask' }) };
    const hostFunctions = {
      ...functions,
      remove: { ...functions.deploy, declaration: 'declare function remove(target: string): string;' },
    };
    const consent = vi.fn<ConsentFunction>(async ({ hostFunction }) =>
      hostFunction === 'deploy' ? 'allow-always' : 'allow-once',
    );
    const tool = toolFor({ settings: { consent: 'ask' }, hostFunctions, consent });
    await completed(tool.execute({ script: 'deploy("a"); deploy("b"); remove("c"); remove("d")' }));
    await completed(tool.execute({ script: 'deploy("e")' }));
    expect(consent.mock.calls.map(([{ hostFunction }]) => hostFunction)).toEqual([
      undefined,
      'deploy',
      'remove',
      'remove',
      undefined,
    ]);
  });

  test('and is declined throws into the script, is an event, and is not called', async () => {
    const hostFunctions = deploying({ consent: 'ask' });
    const { events, listen, types } = recorder();
    const tool = toolFor({ hostFunctions, consent: async () => 'deny', events: listen });
    const { value } = await completed(tool.execute({ script: caught }));
    expect(value).toEqual([
      'capability_denied',
      expect.stringContaining('the user declined the call of deploy()') as unknown,
    ]);
    expect(types().map((type) => type.replace('sandbox.script.', ''))).toEqual(['run', 'asked', 'denied', 'completed']);
    expect(events[1]).toMatchObject({ hostFunction: 'deploy' });
    expect(events[2]).toMatchObject({ by: 'user', reason: 'declined', hostFunction: 'deploy' });
    const { error } = await failed(tool.execute({ script: 'deploy("production")' }));
    expect(error).toMatchObject({ code: 'capability_denied', details: { capability: 'deploy' } });
    expect(hostFunctions.deploy.handler).not.toHaveBeenCalled();
  });

  test.each([
    ['nobody can be asked', {}, 'no_consent_function'],
    ['asking fails', { consent: () => Promise.reject(new Error('no')) }, 'consent_failed'],
    ['nobody answers', { consent: () => new Promise<never>(() => {}), consentTimeoutMs: 30 }, 'consent_timeout'],
  ])('is not called where %s', async (_, options, reason) => {
    const hostFunctions = deploying({ consent: 'ask' });
    const { events, listen } = recorder();
    const { value } = await completed(
      toolFor({ ...options, hostFunctions, events: listen }).execute({ script: caught }),
    );
    expect(value).toEqual(['capability_denied', expect.any(String)]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'sandbox.script.denied', by: 'error', reason }));
    expect(hostFunctions.deploy.handler).not.toHaveBeenCalled();
  });

  test('follows settings that change while the script runs', async () => {
    const settings = { consent: 'always' as 'always' | 'never' };
    const hostFunctions = {
      ...deploying({ consent: 'ask' }),
      forbid: { handler: () => void (settings.consent = 'never'), declaration: 'declare function forbid(): void;' },
    };
    const tool = toolFor({ settings: () => settings, hostFunctions, consent: async () => 'allow-once' });
    const { value } = await completed(tool.execute({ script: `deploy("a"); forbid(); ${caught}` }));
    expect(value).toEqual(['capability_denied', expect.stringContaining('never allow') as unknown]);
    await denied(tool.execute({ script: '1' }));
  });

  test('waits for a person longer than a script may run, without counting it', async () => {
    const hostFunctions = deploying({ consent: 'ask' });
    const consent: ConsentFunction = () => new Promise((resolve) => setTimeout(resolve, 2500, 'allow-once'));
    const tool = toolFor({ hostFunctions, consent, limits: { timeoutMs: 2000 } });
    const { value, durationMs } = await completed(tool.execute({ script: 'deploy("a")' }));
    expect(value).toBe('deployed a');
    expect(durationMs).toBeGreaterThanOrEqual(0);
  });

  test('takes its question back when the run ends', async () => {
    let asked: AbortSignal | undefined;
    const controller = new AbortController();
    const consent: ConsentFunction = (_, { signal }) => {
      asked = signal;
      controller.abort();
      return new Promise(() => {});
    };
    const tool = toolFor({ hostFunctions: deploying({ consent: 'ask' }), consent });
    const { error } = await failed(tool.execute({ script: 'deploy("a")' }, { signal: controller.signal }));
    expect(error.code).toBe('cancelled');
    await vi.waitUntil(() => asked?.aborted === true, 30_000);
  });
});
