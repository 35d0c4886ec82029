import { AsyncResource } from 'node:async_hooks';
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import {
  assertScriptFits,
  encodeFitting,
  invalidRequest,
  limitTable,
  maxAnswersBytes,
  maxValueBytes,
  parse,
  SandboxError,
  withTimeout,
  savingFunction,
  sharedSignal,
  throwIfAborted,
  type CancelSignal,
  type ConsoleLevel,
  type LimitOptions,
  type ParamsIn,
  type ScopeOptions,
  type WireValue,
} from '@mustard-sandbox/protocol';
import { isInside, outputPrefix } from '@mustard-sandbox/paths';
import { callSafely } from './events.ts';
import { HostCalls } from './host-calls.ts';
import type { Below } from './nesting.ts';
import { runOptionsSchema, segmentOptionsSchema, type ResolvedOptions } from './options.ts';
import { openOutputs, type Outputs } from './outputs/options.ts';
import { RunOutputs } from './outputs/run-outputs.ts';
import { cancelledBeforeBegin } from './refusals.ts';
import type { RelayedRun } from './relay.ts';
import type { RunOptions, SegmentOptions } from './types.ts';

/** Everything that a sidecar needs for one run. */
export interface RunRequest {
  params: ParamsIn<'sandbox/run'>;
  /** For a segment: where it continues, or nothing when its run begins. Its params have no profile. */
  segment?: { from: ParamsIn<'sandbox/runSegment'>['from'] };
  timeoutMs: number;
  /**
   * Whether it calls a function of its host while it runs, including `onConsole`. A run that does not can be begun
   * twice without harm.
   */
  callsHost: boolean;
  hostCalls: HostCalls;
  onStart: NonNullable<RunOptions['onStart']>;
  onConsole: ((line: { level: ConsoleLevel; text: string }) => void) | undefined;
  onProgress: RunOptions['onProgress'] | undefined;
  signal: CancelSignal | undefined;
  /**
   * Whether a run that holds a sidecar waits for this one. Such runs are bounded by the runs that started them, and wait
   * whatever `maxQueue` and `queueTimeoutMs` say.
   */
  isAwaited?: boolean;
  /** The files that the script saves. Absent when it may not save. */
  outputs?: RunOutputs;
  /**
   * The asynchronous context of the caller of `run`. Messages arrive in the context of the caller who started the
   * sidecar.
   */
  callersContext: AsyncResource;
}

/**
 * Makes the request for one run from the caller's options.
 *
 * @param roots link-free. If given, everything that the scope names must lie inside them
 * @throws {SandboxError} `invalid_request`, `limit_exceeded`
 */
export function buildRunRequest(
  runId: string,
  options: RunOptions,
  settings: Pick<ResolvedOptions, 'limits' | 'maxTimeoutMs' | 'engine'> & { savedIn?: Outputs | undefined },
  roots: readonly string[] | undefined,
  below?: Below,
): RunRequest {
  const checked = parse(runOptionsSchema, options, 'run()') as RunOptions;
  const outputs = checked.outputs === undefined ? settings.savedIn : openOutputs(checked.outputs);
  const saving = outputs && letSave(checked, outputs, roots);
  const { hostFunctions = {}, signal, onStart, onConsole, onProgress } = checked;
  const callbacks = [onStart, onConsole, onProgress];
  const hasCallbacks = Object.keys(hostFunctions).length > 0 || callbacks.some((callback) => callback !== undefined);
  // Added to the copy that the check made: copying it once more would be 1 % of a small run.
  const run = Object.assign(checked, {
    onStart: onStart === undefined ? tellNobody : (facts: StartFacts) => callSafely(onStart, facts),
    signal: signal && sharedSignal(signal),
  });
  const callersContext = hasCallbacks ? presentContext() : noContext;
  const request = buildCheckedRequest(runId, run, { settings, roots, callersContext, below });
  return saving === undefined ? request : Object.assign(request, { outputs: saving });
}

/** Adds to the options of a run the function with which it saves files, and the files that were saved before. */
function letSave(run: RunOptions, { folder, limits }: Outputs, roots: readonly string[] | undefined): RunOutputs {
  if (Object.hasOwn(run.hostFunctions ?? {}, savingFunction)) {
    const why = `'${savingFunction}' is a built-in when there is a folder for outputs. Choose another name`;
    throw invalidRequest('run()', 'hostFunctions', why);
  }
  const saving = new RunOutputs(folder, limits);
  run.hostFunctions = { ...run.hostFunctions, [savingFunction]: (...args) => saving.take(...args) };
  if (!run.script.includes(outputPrefix)) return saving;
  const { attachments = [] } = run.scope ?? {};
  const given = new Set(attachments.map(({ name }) => name));
  const files = folder
    .list(roots)
    .map(({ name, path }) => ({ name: outputPrefix + name, path, noLinks: true }))
    .filter(({ name }) => !given.has(name));
  if (files.length > 0) run.scope = { ...run.scope, attachments: [...attachments, ...files] };
  return saving;
}

/**
 * Makes the request for one segment of a run.
 *
 * @throws {SandboxError} `invalid_request`, `limit_exceeded`
 */
export function buildSegmentRequest(
  runId: string,
  options: SegmentOptions,
  settings: Pick<ResolvedOptions, 'limits' | 'maxTimeoutMs' | 'engine'>,
  roots: readonly string[] | undefined,
): RunRequest {
  const checked = parse(segmentOptionsSchema, options, 'runSegment()') as unknown as SegmentOptions;
  const { hostFunctions: names, from, ...rest } = checked;
  if (from !== undefined && rest.inputs !== undefined) {
    throw new SandboxError(
      'invalid_request',
      'runSegment(): inputs are in the snapshot, so leave them out when you give `from`.',
    );
  }
  const request = buildRunRequest(runId, rest, settings, roots);
  if (names !== undefined && names.length > 0) request.params.hostFunctions = [...names];
  return Object.assign(request, { segment: { from: from && encodeFrom(from) } });
}

function encodeFrom({
  snapshot,
  answers,
}: NonNullable<SegmentOptions['from']>): ParamsIn<'sandbox/runSegment'>['from'] {
  const encoded = answers.map((answer) =>
    'error' in answer
      ? answer
      : { id: answer.id, value: encodeInputs(answer.value, `the answer to call ${answer.id}`) },
  );
  const bytes = Buffer.byteLength(JSON.stringify(encoded));
  if (bytes > maxAnswersBytes) throw tooMuch('answers', bytes, maxAnswersBytes);
  const { buffer, byteOffset, length } = snapshot;
  return { snapshot: Buffer.from(buffer, byteOffset, length).toString('base64'), answers: encoded };
}

type StartFacts = Parameters<RunRequest['onStart']>[0];

function tellNobody(): void {}

/**
 * Makes the request of a run whose options were checked already.
 *
 * @throws {SandboxError} `invalid_request`, `limit_exceeded`
 */
export function buildCheckedRequest(
  runId: string,
  run: RelayedRun,
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
  const { script, inputs, scope, hostFunctions = {}, limits: given, engine, signal, profile } = run;
  const { onStart, onConsole, onProgress } = run;
  // A caller that has given up gets `cancelled`, even if its options are wrong.
  throwIfAborted(signal, cancelledBeforeBegin);
  const limits = withInstructions(given === undefined ? settings.limits : { ...settings.limits, ...given });
  const { timeoutMs = limitTable.timeoutMs.default, scriptBytes = limitTable.scriptBytes.default } = limits ?? {};
  assertTimeAllowed(timeoutMs, settings.maxTimeoutMs);
  assertScriptFits(script, scriptBytes);
  const hostCalls = new HostCalls(hostFunctions, below);
  // The sidecar fills in the fields that are left out.
  const params: RunRequest['params'] = { runId, script, engine: engine ?? settings.engine };
  if (scope !== undefined) params.scope = absolute(scope, roots);
  if (limits !== undefined) params.limits = limits;
  if (hostCalls.names.length > 0) params.hostFunctions = hostCalls.names;
  if (inputs !== undefined) params.inputs = encodeInputs(inputs);
  if (profile === true) params.profile = profile;
  const callsHost = hostCalls.names.length > 0 || onConsole !== undefined;
  return { params, timeoutMs, callsHost, hostCalls, onStart, onConsole, onProgress, signal, callersContext };
}

/** The default of instructions lasts some two seconds, so more time alone would change nothing. */
function withInstructions(limits: LimitOptions | undefined): LimitOptions | undefined {
  const { timeoutMs = 0, instructions } = limits ?? {};
  if (timeoutMs <= limitTable.timeoutMs.default || instructions !== undefined) return limits;
  return { ...limits, ...withTimeout(timeoutMs) };
}

/** The context of a run that calls nothing of its caller's. */
export const noContext = presentContext();

/** `AsyncLocalStorage.snapshot()` would take 28 µs on Node 20, and this takes 0.3 µs. */
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

function encodeInputs(value: unknown, what = 'inputs'): WireValue {
  return encodeFitting(value, what, (bytes) => tooMuch(what, bytes, maxValueBytes));
}

function tooMuch(what: string, actual: number, value: number): SandboxError {
  return new SandboxError(
    'limit_exceeded',
    `${what} are ${actual} bytes of JSON, over the limit of ${value} (input_bytes). Attach a file and read it in the script instead.`,
    { details: { limit: 'input_bytes', value, unit: 'bytes', actual } },
  );
}

/** The sidecar has its own working folder, so relative paths must become absolute here. */
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
 * The path without links, because a link that leads to a root does not exist in a jail. With `noLinks` the last part
 * stays unresolved, so that the sidecar can refuse it. A path that does not exist is passed on unchanged, because the
 * sidecar reports that best. No path is in the message, because a model may read it.
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
      'Add it, or a folder above it, to the option `roots` of createSandbox().',
  );
}
