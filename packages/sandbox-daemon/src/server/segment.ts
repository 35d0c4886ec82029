import { assertScriptFits, SandboxError, type Params, type Result } from '@mustard-sandbox/protocol';
import { RawJson } from '@mustard-sandbox/protocol/sidecar';
import { openFileAccess } from '../files/index.ts';
import { consoleFunctions } from './console.ts';
import { checkNames } from './names.ts';
import { readNames, Run, type RunEnvironment } from './run.ts';
import { RunClock } from './run-clock.ts';
import { RunPace } from './run-pace.ts';
import { hashOfScript, packed, refused, unpacked, type Snapshot } from './snapshot.ts';
import { ThrownErrors } from './thrown-errors.ts';
import { WaitingCalls } from './waiting-calls.ts';
import { warningsOf } from './warnings.ts';

export type SegmentParams = Params<'sandbox/runSegment'>;

type SegmentResult = Result<'sandbox/runSegment'>;
// `Omit` of a union would keep only the fields that all members have.
type Outcome<R> = R extends unknown ? Omit<R, 'residentBytes'> : never;
/** How a segment ended. The memory that it left in the process is measured afterwards. */
export type SegmentOutcome = Outcome<SegmentResult>;

/** The memory of an instance of QuickJS, of what its allocator cannot use, and of what the sidecar knows of a run. */
const besidesHeap = 96 * 1024 * 1024;

/**
 * Runs one segment of a run, from its start or from a snapshot, until the script ends or can do nothing but wait for
 * its host functions.
 *
 * @throws {SandboxError} like `runScript`, `cannot_freeze` and `snapshot_refused`
 */
export async function runSegment(params: SegmentParams, environment: RunEnvironment): Promise<SegmentOutcome> {
  checkNames(params);
  const { script, limits, hostFunctions, scope, from } = params;
  assertScriptFits(script, limits.scriptBytes);
  const snapshot = from && (await openSnapshot(from.snapshot, params, environment));
  const thrown = new ThrownErrors();
  if (snapshot !== undefined) thrown.thaw(snapshot.errors);
  const calls = new WaitingCalls({ hostFunctions, limits }, thrown, snapshot?.calls);
  const answers = calls.take(from?.answers ?? []);
  const pace = new RunPace(() => environment.read());
  using files = openFileAccess(scope, environment.roots, pace);
  if (snapshot !== undefined) files.thaw(snapshot.files);
  const { run: engineRun, engine } = await engineRunOf(params, snapshot, environment);
  using execution = engineRun;
  const used = snapshot?.use;
  const leftMs = Math.max(1, limits.timeoutMs - (used?.computedMs ?? 0));
  using clock = new RunClock(leftMs, execution.cancelToken, environment.watchdog);
  const segment = { thrown, hostSide: calls, used };
  const run = new Run({ params, environment, execution, engine, clock, files, pace, segment });
  let ended: ReturnType<Run['advance']>;
  try {
    ended = run.advance(answers);
  } catch (error) {
    throw error instanceof SandboxError ? run.failure(error) : error;
  }
  const facts = { engine, ...run.stats(), ...warningsOf(execution, files, script), ...readNames(files) };
  if ('value' in ended) return { state: 'completed', value: ended.value, ...facts };
  const engineVersion = await environment.engines.version(engine);
  const bytes = packed(
    {
      script: hashOfScript(script),
      engine,
      engineVersion,
      use: run.use(),
      calls: calls.keep(),
      errors: thrown.keep(),
      files: files.keep(),
      frozen: ended,
    },
    limits.snapshotBytes,
  );
  return { state: 'waiting', snapshot: textOf(bytes), engineVersion, calls: calls.pending, ...facts };
}

function engineRunOf(
  { script, limits, hostFunctions, inputs, scope, engine }: SegmentParams,
  snapshot: Snapshot | undefined,
  { engines }: RunEnvironment,
): ReturnType<RunEnvironment['engines']['prepare']> {
  const setup = { limits, inputs, builtins: [...scope.builtins, ...consoleFunctions], hostFunctions };
  if (snapshot === undefined) return engines.prepare(script, engine, setup);
  const { engine: name, frozen } = snapshot;
  return engines.thaw(script, name, setup, frozen).then((run) => ({ engine: name, run }));
}

/** Opens a snapshot. It must be of this script, and of an engine that this sidecar has. */
async function openSnapshot(
  text: string,
  { script, limits }: SegmentParams,
  { engines }: RunEnvironment,
): Promise<Snapshot> {
  const snapshot = unpacked(Buffer.from(text, 'base64'), limits.heapBytes + besidesHeap);
  if (snapshot.script !== hashOfScript(script)) throw refused('other_script', 'It belongs to another script.');
  const { engine, engineVersion } = snapshot;
  const version = await engines.version(engine);
  if (engineVersion !== version) {
    const why = `It was made by ${engine} ${engineVersion}, and this sidecar has ${version}. Start the run again.`;
    throw refused('engine_version', why);
  }
  return snapshot;
}

/** Base64 as JSON. It needs no search for characters to escape. */
function textOf(bytes: Buffer): string {
  return new RawJson(Buffer.from(`"${bytes.toString('base64')}"`, 'latin1')) as unknown as string;
}
