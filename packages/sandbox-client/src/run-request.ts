import { AsyncResource } from 'node:async_hooks';
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import {
  assertScriptFits,
  encodeFitting,
  isInside,
  limitTable,
  maxValueBytes,
  parse,
  SandboxError,
  sharedSignal,
  type CancelSignal,
  type ConsoleLevel,
  type LimitOptions,
  type ParamsIn,
  type ScopeOptions,
  type WireValue,
  throwIfAborted,
} from '@mustard-sandbox/daemon/protocol';
import { callSafely } from './events.ts';
import { HostCalls } from './host-calls.ts';
import type { Below } from './nesting.ts';
import { runOptionsSchema, type ResolvedOptions } from './options.ts';
import type { RelayedRun } from './relay.ts';
import type { RunOptions } from './types.ts';

/** What a sidecar needs for one run. */
export interface RunRequest {
  params: ParamsIn<'sandbox/run'>;
  timeoutMs: number;
  hostCalls: HostCalls;
  onStart: NonNullable<RunOptions['onStart']>;
  onConsole: ((line: { level: ConsoleLevel; text: string }) => void) | undefined;
  signal: CancelSignal | undefined;
  /** The asynchronous context of whoever called `run`. Messages arrive in that of the caller who started the sidecar. */
  callersContext: AsyncResource;
}

/**
 * Everything a sidecar needs for one run, from what the caller gave.
 *
 * @param roots link-free; given, everything that the scope names must lie inside them
 * @throws {SandboxError} `invalid_request`, `limit_exceeded`
 */
export function buildRunRequest(
  runId: string,
  options: RunOptions,
  settings: Pick<ResolvedOptions, 'limits' | 'maxTimeoutMs' | 'engine'>,
  roots: readonly string[] | undefined,
  below?: Below,
): RunRequest {
  const checked = parse(runOptionsSchema, options, 'run()') as RunOptions;
  const { hostFunctions = {}, signal, onStart, onConsole } = checked;
  const hasCallbacks = Object.keys(hostFunctions).length > 0 || onStart !== undefined || onConsole !== undefined;
  // Added to the copy that the check made: copying it once more would be 1 % of a small run.
  const run = Object.assign(checked, {
    onStart: onStart === undefined ? tellNobody : (facts: StartFacts) => callSafely(onStart, facts),
    signal: signal && sharedSignal(signal),
  });
  const callersContext = hasCallbacks ? presentContext() : noContext;
  return buildCheckedRequest(runId, run, { settings, roots, callersContext, below });
}

type StartFacts = Parameters<RunRequest['onStart']>[0];

function tellNobody(): void {}

/**
 * The same for options that were checked already.
 *
 * @throws {SandboxError} `invalid_request`, `limit_exceeded`
 */
export function buildCheckedRequest(
  runId: string,
  { script, inputs, scope, hostFunctions = {}, limits: given, engine, signal, profile, onStart, onConsole }: RelayedRun,
  {
    settings,
    roots,
    callersContext,
    below,
  }: {
    settings: Pick<ResolvedOptions, 'limits' | 'maxTimeoutMs' | 'engine'>;
    roots: readonly string[] | undefined;
    callersContext: AsyncResource;
    below: Below | undefined;
  },
): RunRequest {
  // Who has given up wants no word on what was wrong.
  throwIfAborted(signal, 'The run was cancelled before it began.');
  const limits: LimitOptions | undefined = given === undefined ? settings.limits : { ...settings.limits, ...given };
  const { timeoutMs = limitTable.timeoutMs.default, scriptBytes = limitTable.scriptBytes.default } = limits ?? {};
  assertTimeAllowed(timeoutMs, settings.maxTimeoutMs);
  assertScriptFits(script, scriptBytes);
  const hostCalls = new HostCalls(hostFunctions, below);
  // The sidecar fills in what is left out.
  const params: RunRequest['params'] = { runId, script, engine: engine ?? settings.engine };
  if (scope !== undefined) params.scope = absolute(scope, roots);
  if (limits !== undefined) params.limits = limits;
  if (hostCalls.names.length > 0) params.hostFunctions = hostCalls.names;
  if (inputs !== undefined) params.inputs = encodeInputs(inputs);
  if (profile === true) params.profile = profile;
  return { params, timeoutMs, hostCalls, onStart, onConsole, signal, callersContext };
}

/** For a run that calls nothing of its caller's. */
export const noContext = presentContext();

/** Not AsyncLocalStorage.snapshot(): on Node 20 that takes 28 µs, and this 0.3. */
export function presentContext(): AsyncResource {
  return new AsyncResource('mustard-sandbox.run');
}

function assertTimeAllowed(timeoutMs: number, maxTimeoutMs: number): void {
  if (timeoutMs <= maxTimeoutMs) return;
  throw new SandboxError(
    'invalid_request',
    `limits.timeoutMs: ${timeoutMs} is over the ${maxTimeoutMs} ms that this sandbox allows (maxTimeoutMs).`,
  );
}

function encodeInputs(inputs: unknown): WireValue {
  return encodeFitting(
    inputs,
    'inputs',
    (bytes) =>
      new SandboxError(
        'limit_exceeded',
        `inputs are ${bytes} bytes of JSON, over the limit of ${maxValueBytes} (input_bytes). Attach a file and read it in the script instead.`,
        { details: { limit: 'input_bytes', value: maxValueBytes, unit: 'bytes', actual: bytes } },
      ),
  );
}

/** The sidecar has its own working folder, so a relative path must become absolute here. */
function absolute(scope: ScopeOptions, roots: readonly string[] | undefined): ScopeOptions {
  const place = (path: string, what: string, noLinks?: boolean): string =>
    roots === undefined ? resolve(path) : placeInRoots(path, what, roots, noLinks);
  return {
    ...scope,
    ...(scope.root !== undefined && { root: place(scope.root, 'scope.root') }),
    attachments: (scope.attachments ?? []).map(({ name, path, noLinks }) => ({
      name,
      path: place(path, `scope.attachments: ${JSON.stringify(name)}`, noLinks),
      ...(noLinks === true && { noLinks }),
    })),
  };
}

/**
 * Without links: a link that leads to a root is not there in a jail. With `noLinks` the last part stays as it is, for the
 * sidecar to refuse. What does not exist goes on as it is, because the
 * sidecar says so best. No path in the message, because a model may read it.
 */
function placeInRoots(path: string, what: string, roots: readonly string[], noLinks = false): string {
  let real: string;
  try {
    real = noLinks ? join(realpathSync.native(dirname(path)), basename(path)) : realpathSync.native(path);
  } catch {
    return resolve(path);
  }
  if (isInside(real, roots)) return real;
  throw new SandboxError(
    'invalid_request',
    `${what} lies outside the folders and files that this sandbox was created for. ` +
      'Name it, or a folder above it, in the option `roots` of createSandbox().',
  );
}
