import { resolve } from 'node:path';
import {
  assertScriptFits,
  encodeValue,
  limitsSchema,
  maxValueBytes,
  parse,
  SandboxError,
  type ConsoleLevel,
  type Limits,
  type ParamsIn,
  type ScopeOptions,
  type WireValue,
} from '@mustard-sandbox/daemon/protocol';
import { HostCalls } from './host-calls.ts';
import { runOptionsSchema, type ResolvedOptions } from './options.ts';
import type { HostCapability, RunOptions } from './types.ts';

/** What a sidecar needs for one run. */
export interface RunRequest {
  params: ParamsIn<'sandbox/run'>;
  timeoutMs: number;
  hostCalls: HostCalls;
  onConsole: ((line: { level: ConsoleLevel; text: string }) => void) | undefined;
  signal: AbortSignal | undefined;
}

/**
 * Everything a sidecar needs for one run, from what the caller gave.
 *
 * @throws {SandboxError} `invalid_request`, `limit_exceeded`
 */
export function buildRunRequest(runId: string, options: RunOptions, settings: ResolvedOptions): RunRequest {
  const { script, inputs, scope, capabilities, signal, profile, onConsole } = parse(runOptionsSchema, options, 'run()');
  const limits = resolveLimits({ ...settings.limits, ...options.limits }, settings.maxTimeoutMs);
  assertScriptFits(script, limits);
  const hostCalls = new HostCalls(capabilities as Record<string, HostCapability>);
  return {
    params: {
      runId,
      script,
      scope: absolute(scope),
      limits,
      hostCapabilities: hostCalls.names,
      ...(inputs !== undefined && { inputs: encodeInputs(inputs) }),
      ...(profile === true && { profile }),
    },
    timeoutMs: limits.timeoutMs,
    hostCalls,
    onConsole: onConsole as RunRequest['onConsole'],
    signal,
  };
}

function resolveLimits(options: NonNullable<RunOptions['limits']>, maxTimeoutMs: number): Limits {
  const limits = parse(limitsSchema, options, 'limits');
  if (limits.timeoutMs <= maxTimeoutMs) return limits;
  throw new SandboxError(
    'invalid_request',
    `limits.timeoutMs: ${limits.timeoutMs} is over the ${maxTimeoutMs} ms that this sandbox allows (maxTimeoutMs).`,
  );
}

function encodeInputs(inputs: unknown): WireValue {
  const encoded = encodeValue(inputs, 'inputs');
  const text = JSON.stringify(encoded);
  const bytes = Buffer.byteLength(text);
  // A copy: the caller may change its object while the run waits in the queue.
  if (bytes <= maxValueBytes) return JSON.parse(text) as WireValue;
  throw new SandboxError(
    'limit_exceeded',
    `inputs are ${bytes} bytes of JSON, over the limit of ${maxValueBytes} (input_bytes). Attach a file and read it in the script instead.`,
    { details: { limit: 'input_bytes', value: maxValueBytes, unit: 'bytes' } },
  );
}

/** The sidecar has a folder of its own, so a relative path means something else there. */
function absolute(scope: ScopeOptions): ScopeOptions {
  return {
    ...scope,
    ...(scope.root !== undefined && { root: resolve(scope.root) }),
    attachments: (scope.attachments ?? []).map(({ name, path }) => ({ name, path: resolve(path) })),
  };
}
