import { SandboxError } from '@mustard-sandbox/protocol';

type Attributes = Record<string, string | number>;

interface SpanLike {
  spanContext(): { traceId: string; spanId: string; traceFlags: number };
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(time?: number): void;
}

/**
 * The part of an OpenTelemetry `Tracer` that is used. It is declared here, because a host that does not trace should
 * need neither the package nor its types.
 */
export interface TracerLike {
  startSpan(name: string, options?: { attributes?: Attributes; startTime?: number }, context?: unknown): SpanLike;
}

/** An open span. */
export interface Traced {
  /** The parent for spans on another machine, in the form of W3C's header; `undefined` without a tracer. */
  traceparent: string | undefined;
  set(attributes: Attributes): void;
}

interface Place {
  attributes: Attributes;
  /** The parent. Without it, the active span is the parent. */
  traceparent?: string | undefined;
}

export const traceparentPattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** `SpanStatusCode.ERROR`. */
const errorStatus = 2;

/** Makes spans. Without a tracer it only does the work. */
export class Tracing {
  readonly #tracer: TracerLike | undefined;

  constructor(tracer: TracerLike | undefined) {
    this.#tracer = tracer;
  }

  /** @throws {SandboxError} `invalid_request` when there is a tracer and `@opentelemetry/api` is not installed */
  async inSpan<T>(name: string, { attributes, traceparent }: Place, work: (span: Traced) => Promise<T>): Promise<T> {
    const tracer = this.#tracer;
    if (tracer === undefined) return await work({ traceparent: undefined, set: () => {} });
    const { context, trace } = await loadApi();
    const parent = await contextOf(traceparent);
    const span = tracer.startSpan(name, { attributes }, parent);
    const within = trace.setSpan(parent, span as Parameters<typeof trace.setSpan>[1]);
    try {
      const set = (more: Attributes): unknown => span.setAttributes(more);
      return await context.with(within, () => work({ traceparent: traceparentOf(span), set }));
    } catch (error) {
      const type = error instanceof SandboxError ? error.code : 'host_error';
      span.setAttributes({ 'error.type': type });
      span.setStatus({ code: errorStatus, message: type });
      throw error;
    } finally {
      span.end();
    }
  }

  /** Records a span that is over. Times are in ms since 1970. */
  async record(name: string, { attributes, traceparent }: Place, from: number, to: number): Promise<void> {
    if (this.#tracer === undefined) return;
    this.#tracer.startSpan(name, { attributes, startTime: from }, await contextOf(traceparent)).end(to);
  }
}

function traceparentOf(span: SpanLike): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

async function contextOf(traceparent: string | undefined): Promise<import('@opentelemetry/api').Context> {
  const { context, ROOT_CONTEXT, trace } = await loadApi();
  const [, traceId, spanId, flags = ''] = traceparentPattern.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return context.active();
  const remote = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, remote);
}

async function loadApi(): Promise<typeof import('@opentelemetry/api')> {
  try {
    return await import('@opentelemetry/api');
  } catch (cause) {
    throw new SandboxError('invalid_request', 'The option tracer needs the package @opentelemetry/api.', { cause });
  }
}
