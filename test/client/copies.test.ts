import { SandboxError as ProtocolError } from '@mustard-sandbox/protocol';
import { createExecuteSandboxScriptTool } from '@mustard-sandbox/agent-tool';
import { createSandbox, SandboxError } from '@mustard-sandbox/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failureOf } from './support.ts';

type Client = typeof import('@mustard-sandbox/client');

/** The client a second time, as two bundles in one program hold it. */
const other = (await import(`${import.meta.resolve('@mustard-sandbox/client')}?copy`)) as Client;

it('there are three classes here', () => {
  expect(new Set([SandboxError, other.SandboxError, ProtocolError]).size).toBe(3);
});

describe.each([
  ['the client', new SandboxError('closed', 'x')],
  ['another copy of the client', new other.SandboxError('closed', 'x')],
  ['the protocol', new ProtocolError('closed', 'x')],
])('an error of %s', (_, error) => {
  it('is one for each of them', () => {
    expect([SandboxError, other.SandboxError, ProtocolError].every((copy) => error instanceof copy)).toBe(true);
    expect(JSON.parse(JSON.stringify(error))).toEqual({ code: 'closed', message: 'x', details: {} });
  });
});

it.each([
  ['an error of the same name', Object.assign(new Error('x'), { name: 'SandboxError', code: 'closed', details: {} })],
  ['an ordinary error', new Error('x')],
  ['its JSON', new SandboxError('closed', 'x').toJSON()],
  ['null', null],
  ['a text', 'closed'],
])('%s is none', (_, value) => {
  expect((value as unknown) instanceof SandboxError).toBe(false);
});

it('a class that extends it knows its own', () => {
  class MyError extends SandboxError {}
  expect(new MyError('closed', 'x') instanceof SandboxError).toBe(true);
  expect(new MyError('closed', 'x') instanceof MyError).toBe(true);
  expect((new SandboxError('closed', 'x') as unknown) instanceof MyError).toBe(false);
});

it('a tool over a sandbox of another copy answers with its errors instead of rejecting', async () => {
  const sandbox = other.createSandbox({ spares: 0 });
  onTestFinished(() => sandbox.close());
  await using tool = createExecuteSandboxScriptTool({ sandbox, settings: { consent: 'always' } });
  expect(await tool.execute({ script: 'missing()' })).toMatchObject({
    status: 'failed',
    error: { code: 'script_error', details: { construct: 'undefined_name' } },
  });
});

it('a sandbox knows an error of another copy that a host function throws', async () => {
  const sandbox = createSandbox({ spares: 0 });
  onTestFinished(() => sandbox.close());
  const ask = (): never => {
    throw new other.SandboxError('capability_denied', 'no');
  };
  expect(await failureOf(sandbox.run({ script: 'ask()', hostFunctions: { ask } }))).toMatchObject({
    code: 'capability_denied',
    message: 'no',
  });
});
