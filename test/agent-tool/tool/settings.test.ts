import { expect, onTestFinished, test } from 'vitest';
import {
  createExecuteSandboxScriptTool,
  defaultSettings,
  parseSettings,
  settingsInfo,
  type Settings,
} from '@mustard-sandbox/agent-tool';
import { SandboxError } from '@mustard-sandbox/client';

test('what is left out has its default, and the default asks', () => {
  expect(parseSettings()).toEqual(defaultSettings);
  expect(parseSettings({})).toEqual({ enabled: true, consent: 'ask', timeoutMs: 2000, engine: 'auto' });
  expect(parseSettings({ timeoutMs: 10_000 })).toEqual({ ...defaultSettings, timeoutMs: 10_000 });
});

test.each([
  [{ timeoutMs: 99 }, 'timeoutMs: must be a whole number of milliseconds from 100 to 10000'],
  [{ timeoutMs: 10_001 }, 'timeoutMs: must be a whole number of milliseconds from 100 to 10000'],
  [{ timeoutMs: 150.5 }, 'timeoutMs: must be a whole number'],
  [{ timeoutMs: '2000' }, 'timeoutMs: must be a whole number'],
  [{ timeoutMs: Infinity }, 'timeoutMs: must be a whole number'],
  [{ consent: 'sometimes' }, 'consent: must be one of ask, always, never'],
  [{ enabled: 'yes' }, 'enabled: must be true or false'],
  [{ timeout: 5, consent: 1 }, 'consent: must be one of'],
  [{ timeout: 5 }, 'timeout'],
  [null, 'settings'],
  ['ask', 'settings'],
])('%j is refused with what is wrong', (value, message) => {
  const parse = (): Settings => parseSettings(value);
  expect(parse).toThrow(SandboxError);
  expect(parse).toThrow(message);
});

test.each([
  ['quickjs', undefined, 'quickjs'],
  ['mustardscript', undefined, 'mustardscript'],
  ['mustardscript', 'quickjs', 'mustardscript'],
  ['auto', 'quickjs', 'quickjs'],
  ['auto', undefined, 'mustardscript'],
] as const)('the setting %s with the engine %s of the tool runs 1 + 1 in %s', async (engine, ofTool, expected) => {
  const tool = createExecuteSandboxScriptTool({
    settings: { consent: 'always', engine },
    ...(ofTool !== undefined && { engine: ofTool }),
  });
  onTestFinished(() => tool.close());
  const { record } = await tool.execute({ script: '1 + 1' });
  expect(record.engine).toBe(expected);
});

test.each([
  ['quickjs', true],
  ['mustardscript', false],
] as const)(
  'a script that %s stopped has a count of instructions only where one was made',
  async (engine, isCounted) => {
    const tool = createExecuteSandboxScriptTool({
      settings: { consent: 'always', engine },
      limits: { instructions: 100_000 },
    });
    onTestFinished(() => tool.close());
    const { record } = await tool.execute({ script: 'let n = 0; while (true) n += 1;' });
    expect(record).toMatchObject({ engine, error: { code: 'limit_exceeded' } });
    expect(record.stats.instructionsUsed !== undefined && record.stats.instructionsUsed > 0).toBe(isCounted);
    expect('instructionsUsed' in record.stats).toBe(isCounted);
  },
);

test('a settings page finds everything in one object, and what it offers is what is taken', () => {
  expect(Object.keys(settingsInfo)).toEqual(Object.keys(defaultSettings));
  expect(JSON.parse(JSON.stringify(settingsInfo))).toEqual(settingsInfo);
  for (const [name, info] of Object.entries(settingsInfo)) {
    const accepts = (value: unknown): boolean => {
      try {
        return parseSettings({ [name]: value })[name as keyof Settings] === value;
      } catch {
        return false;
      }
    };
    expect(info.default).toBe(defaultSettings[name as keyof Settings]);
    expect(info.label).not.toBe('');
    if (info.type === 'choice') for (const { value } of info.choices) expect(accepts(value)).toBe(true);
    if (info.type !== 'number') continue;
    expect([info.min, info.min + info.step, info.max].map(accepts)).toEqual([true, true, true]);
    expect([info.min - 1, info.max + 1].map(accepts)).toEqual([false, false]);
  }
});
