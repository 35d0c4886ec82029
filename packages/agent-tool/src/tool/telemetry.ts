import { SandboxError, type RunResult } from '@mustard-sandbox/client';

type Attributes = Record<string, string | number>;

interface SpanLike {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/**
 * The part of an OpenTelemetry `Tracer` that is used. It is declared here, because a host that does not trace should
 * need neither the package nor its types.
 */
export interface TracerLike {
  startSpan(name: string, options?: { attributes?: Attributes }, context?: unknown): SpanLike;
}

/** The span of one run, or nothing without a tracer. */
export interface RunSpan {
  /** Traces one call of a host function as a child span. Spans that `call` starts are children of that one. */
  hostCall<T>(name: string, call: () => Promise<T>): Promise<T>;
}

/** Runs `work`, traced as `sandbox.script.run`. */
export type TraceRun = (attributes: Attributes, work: (span: RunSpan) => Promise<RunResult>) => Promise<RunResult>;

/** `SpanStatusCode.ERROR`. */
const errorStatus = 2;

const untraced: TraceRun = (_, work) => work({ hostCall: (__, call) => call() });

/** Does work in a span. Spans that it starts are children of that one. */
export type InSpan = <T>(name: string, attributes: Attributes, body: () => Promise<T>) => Promise<T>;

/**
 * The function that makes spans. Without a tracer it only does the work.
 *
 * @throws {SandboxError} `invalid_request` when there is a tracer and `@opentelemetry/api` is not installed
 */
export async function inSpans(tracer: TracerLike | undefined): Promise<InSpan> {
  return tracer === undefined ? (_, __, body) => body() : await spansOf(tracer);
}

type InOwnSpan = <T>(name: string, attributes: Attributes, body: (span: SpanLike) => Promise<T>) => Promise<T>;

async function spansOf(tracer: TracerLike): Promise<InOwnSpan> {
  const { context, trace } = await loadApi();
  return async (name, attributes, body) => {
    const parent = context.active();
    const span = tracer.startSpan(name, { attributes }, parent);
    const own = trace.setSpan(parent, span as Parameters<typeof trace.setSpan>[1]);
    try {
      return await context.with(own, () => body(span));
    } catch (error) {
      const type = error instanceof SandboxError ? error.code : 'host_error';
      const engine = error instanceof SandboxError ? error.details.engine : undefined;
      span.setAttributes({ 'error.type': type, ...(engine !== undefined && { 'sandbox.engine': engine }) });
      span.setStatus({ code: errorStatus, message: type });
      throw error;
    } finally {
      span.end();
    }
  };
}

/**
 * The function that traces the runs of a tool. Attributes are names, numbers and hashes, and never a script, a path or
 * content.
 *
 * @throws {SandboxError} `invalid_request` when there is a tracer and `@opentelemetry/api` is not installed
 */
export async function loadTracing(tracer: TracerLike | undefined): Promise<TraceRun> {
  if (tracer === undefined) return untraced;
  const inSpan = await spansOf(tracer);
  return (attributes, work) =>
    inSpan('sandbox.script.run', attributes, async (span) => {
      const result = await work({
        hostCall: (name, call) => inSpan('sandbox.host_call', { 'sandbox.host_function': name }, call),
      });
      span.setAttributes(factsOf(result));
      return result;
    });
}

function factsOf(result: RunResult): Attributes {
  return {
    'sandbox.engine': result.engine,
    'sandbox.queue_ms': result.queueMs,
    'sandbox.execution_ms': result.executionMs,
    'sandbox.instructions_used': result.instructionsUsed,
    'sandbox.heap_bytes_used': result.heapBytesUsed,
    'sandbox.bytes_read': result.bytesRead,
    'sandbox.host_calls': result.hostCalls,
  };
}

async function loadApi(): Promise<typeof import('@opentelemetry/api')> {
  try {
    return await import('@opentelemetry/api');
  } catch (cause) {
    throw new SandboxError('invalid_request', 'The option tracer needs the package @opentelemetry/api.', { cause });
  }
}
