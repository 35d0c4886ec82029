import { context, SpanStatusCode } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { execa } from 'execa';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { makeFolder } from '../../files/support.ts';
import { completed, failed, toolFor } from './support.ts';

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const tracer = provider.getTracer('test');

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterAll(async () => {
  context.disable();
  await provider.shutdown();
});
beforeEach(() => exporter.reset());

const named = (name: string): ReadableSpan[] => exporter.getFinishedSpans().filter((span) => span.name === name);
const parentOf = (span: ReadableSpan | undefined): string | undefined => span?.parentSpanContext?.spanId;
const idOf = (span: ReadableSpan | undefined): string | undefined => span?.spanContext().spanId;

/** A host function whose own work is traced as well. */
const lookUp = {
  handler: async (key: unknown): Promise<string> =>
    await tracer.startActiveSpan('database', async (span) => {
      span.end();
      return `value of ${String(key)}`;
    }),
  declaration: 'declare function look_up(key: string): string;',
};

test('a run is a span below the one around it, and each call of a host function one below that', async () => {
  const tool = toolFor({ tracer, hostFunctions: { look_up: lookUp } });
  await tracer.startActiveSpan('chat', async (chat) => {
    await completed(tool.execute({ script: 'look_up("a") + look_up("b")' }));
    chat.end();
  });
  const [chat] = named('chat');
  const [run] = named('sandbox.script.run');
  const calls = named('sandbox.host_call');
  expect(parentOf(run)).toBe(idOf(chat));
  expect(calls.map(parentOf)).toEqual([idOf(run), idOf(run)]);
  expect(calls.map(({ attributes }) => attributes)).toEqual([
    { 'sandbox.host_function': 'look_up' },
    { 'sandbox.host_function': 'look_up' },
  ]);
  expect(named('database').map(parentOf)).toEqual(calls.map(idOf));
  expect(run?.attributes).toMatchObject({
    'sandbox.engine': 'quickjs',
    'sandbox.host_calls': 2,
    'sandbox.bytes_read': 0,
    'sandbox.attachments': 0,
  });
  expect(run?.status.code).toBe(SpanStatusCode.UNSET);
});

test('two runs at once keep their calls apart', async () => {
  const tool = toolFor({ tracer, hostFunctions: { look_up: lookUp } });
  await Promise.all(['1', '2', '3'].map((key) => completed(tool.execute({ script: `look_up("${key}")` }))));
  const runs = named('sandbox.script.run');
  expect(runs).toHaveLength(3);
  expect(new Set(named('sandbox.host_call').map(parentOf))).toEqual(new Set(runs.map(idOf)));
});

test('a failure is a status with its code', async () => {
  const handler = (): never => {
    throw new Error('a secret of the host');
  };
  const hostFunctions = { look_up: { ...lookUp, handler } };
  await failed(toolFor({ tracer, hostFunctions }).execute({ script: 'look_up("a")' }));
  const spans = [...named('sandbox.host_call'), ...named('sandbox.script.run')];
  expect(spans.map(({ status, attributes }) => [status, attributes['error.type']])).toEqual([
    [{ code: SpanStatusCode.ERROR, message: 'host_error' }, 'host_error'],
    [{ code: SpanStatusCode.ERROR, message: 'script_error' }, 'script_error'],
  ]);
});

test('a call that never answers has an end, too', async () => {
  const hostFunctions = { look_up: { ...lookUp, handler: () => new Promise(() => {}), timeoutMs: 30 } };
  await failed(toolFor({ tracer, hostFunctions }).execute({ script: 'look_up("a")' }));
  expect(named('sandbox.host_call').map(({ attributes }) => attributes['error.type'])).toEqual(['capability_timeout']);
  const controller = new AbortController();
  const abort = { ...lookUp, handler: () => new Promise(() => controller.abort()) };
  const tool = toolFor({ tracer, hostFunctions: { look_up: abort } });
  await failed(tool.execute({ script: 'look_up("a")' }, { signal: controller.signal }));
  await vi.waitUntil(() => named('sandbox.host_call').length === 2, 30_000);
  expect(named('sandbox.host_call').map(({ attributes }) => attributes['error.type'])).toContain('cancelled');
});

test('no span holds anything of the script, its files or its result', async () => {
  const folder = makeFolder({ 'canary-name.txt': 'canary-content' });
  const tool = toolFor({ tracer, attachments: [join(folder, 'canary-name.txt')], hostFunctions: { look_up: lookUp } });
  const script = `const canary = read_file('attachments:canary-name.txt'); look_up(canary); canary`;
  expect((await completed(tool.execute({ script, description: 'canary' }))).value).toBe('canary-content');
  await failed(tool.execute({ script: `${script}; throw new Error(canary)` }));
  const spans = exporter.getFinishedSpans().filter(({ name }) => name.startsWith('sandbox.'));
  expect(spans).toHaveLength(4);
  const text = JSON.stringify(spans.map(({ name, attributes, events, status }) => [name, attributes, events, status]));
  expect(text).not.toContain('canary');
});

test('what is refused is no run', async () => {
  await toolFor({ tracer, settings: { enabled: false } }).execute({ script: '1' });
  expect(exporter.getFinishedSpans()).toEqual([]);
});

test('the package is needed for a tracer only, and missed by name', async () => {
  // An installation without the optional peer.
  const hook = `export async function resolve(specifier, context, next) {
    if (specifier.startsWith('@opentelemetry/')) throw new Error('not installed');
    return await next(specifier, context);
  }`;
  const program = `
    import { register } from 'node:module';
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}));
    const { createExecuteSandboxScriptTool } = await import('@mustard-sandbox/agent-tool');
    const settings = { consent: 'always' };
    const tool = createExecuteSandboxScriptTool({ settings });
    console.log((await tool.execute({ script: '1' })).text);
    const traced = createExecuteSandboxScriptTool({ settings, tracer: { startSpan() {} } });
    console.log(await traced.execute({ script: '1' }).catch((error) => error.code + ': ' + error.message));
  `;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', program]);
  expect(stdout).toBe('1\ninvalid_request: The option tracer needs the package @opentelemetry/api.');
});
