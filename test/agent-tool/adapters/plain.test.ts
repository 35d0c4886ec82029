import { toolCallHandler, toolDefinition } from '@mustard-sandbox/agent-tool';
import { expect, test } from 'vitest';
import { toolFor } from '../tool/support.ts';

test('the definition is JSON, and its schema is strict', () => {
  const definition = toolDefinition(toolFor());
  expect(JSON.parse(JSON.stringify(definition))).toEqual(definition);
  expect(definition).toMatchObject({
    name: 'execute_sandbox_script',
    inputSchema: {
      type: 'object',
      properties: { script: { type: 'string' }, description: { type: 'string' } },
      required: ['script'],
      additionalProperties: false,
    },
  });
});

test.each([
  ['an object', { script: '6 * 7' }],
  ['JSON text', '{"script":"6 * 7"}'],
])('a call with its arguments as %s is answered', async (_, args) => {
  const answer = await toolCallHandler(toolFor())(args);
  expect(answer).toMatchObject({ text: '42', isError: false, result: { status: 'completed', value: 42 } });
});

test.each([
  ['cut off', '{"script": "6 *'],
  ['no text', undefined],
  ['an array', '["6 * 7"]'],
  ['of another shape', { code: '6 * 7' }],
])('arguments that are %s are told to the model', async (_, args) => {
  const { text, isError, result } = await toolCallHandler(toolFor())(args);
  expect(isError).toBe(true);
  expect(result).toMatchObject({ status: 'failed', error: { code: 'invalid_request' } });
  expect(text).toContain('script');
});

test('a refusal is no error', async () => {
  const handle = toolCallHandler(toolFor({ settings: { consent: 'never' } }));
  expect(await handle({ script: '1' })).toMatchObject({ isError: false, result: { status: 'denied' } });
});
