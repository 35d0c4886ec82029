import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Tracing } from '../../packages/fleet/src/tracing.ts';
import { noRedis } from './redis.ts';
import { Fleet } from './support.ts';

/** What a process collects: the client and the worker have one each, as on two machines. */
function collector(): { tracer: ReturnType<BasicTracerProvider['getTracer']>; spans: () => ReadableSpan[] } {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { tracer: provider.getTracer('test'), spans: () => exporter.getFinishedSpans() };
}

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterAll(() => context.disable());

test.skipIf(noRedis)(
  'a trace goes through client, queue, worker and sidecar, with nothing of the script in it',
  async () => {
    const fleet = await Fleet.start();
    const [here, there] = [collector(), collector()];
    await fleet.worker({ tracer: there.tracer, name: 'one' });
    const sandbox = fleet.client({ tracer: here.tracer });
    await here.tracer.startActiveSpan('chat', async (chat) => {
      await sandbox.run({ script: `'canary' + await call('canary')`, hostFunctions: { call: () => 'canary' } });
      chat.end();
    });
    const [chat] = here.spans().filter(({ name }) => name === 'chat');
    const jobs = here.spans().filter(({ name }) => name === 'sandbox.fleet.job');
    expect(jobs.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(
      [1, 2].map(() => chat?.spanContext().spanId),
    );
    const named = (name: string): ReadableSpan[] => there.spans().filter((span) => span.name === name);
    const parents = (name: string): (string | undefined)[] => named(name).map((span) => span.parentSpanContext?.spanId);
    const ids = (spans: ReadableSpan[]): string[] => spans.map((span) => span.spanContext().spanId);
    expect(parents('sandbox.fleet.queue')).toEqual(ids(jobs));
    expect(parents('sandbox.fleet.work')).toEqual(ids(jobs));
    expect(parents('sandbox.fleet.sidecar')).toEqual(ids(named('sandbox.fleet.work')));
    const traces = new Set([...here.spans(), ...there.spans()].map((span) => span.spanContext().traceId));
    expect(traces.size).toBe(1);
    expect(named('sandbox.fleet.work')[0]?.attributes).toEqual({
      'sandbox.fleet.job': 'segment',
      'sandbox.fleet.worker': 'one',
    });
    const text = JSON.stringify(
      [...here.spans(), ...there.spans()].map(({ name, attributes, events }) => [name, attributes, events]),
    );
    expect(text).not.toContain('canary');
  },
);

test.skipIf(noRedis)('a failure is told by its code', async () => {
  const fleet = await Fleet.start();
  const there = collector();
  await fleet.worker({ tracer: there.tracer });
  await expect(fleet.client().run({ script: 'null.x' })).rejects.toMatchObject({ code: 'script_error' });
  const [work] = there.spans().filter(({ name }) => name === 'sandbox.fleet.work');
  expect([work?.status.message, work?.parentSpanContext]).toEqual(['script_error', undefined]);
});

test('without a tracer nothing is loaded, and the work is done', async () => {
  expect(
    await new Tracing(undefined).inSpan('x', { attributes: {} }, (span) => Promise.resolve(span.traceparent)),
  ).toBe(undefined);
});
