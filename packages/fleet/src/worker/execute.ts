import type { LocalSandbox, RunOptions, SegmentOptions } from '@mustard-sandbox/client';
import {
  decodeValue,
  encodeValue,
  within,
  withoutPaths,
  type SandboxError,
  type ScopeOptions,
} from '@mustard-sandbox/protocol';
import type { FileCache } from '../files/cache.ts';
import type { AnswerBody, JobBody, Outcome } from '../wire/messages.ts';

export interface Executing {
  tenant: string;
  signal: AbortSignal;
  onStart: NonNullable<RunOptions['onStart']>;
}

export type Executed = Pick<AnswerBody, 'outcome' | 'console'>;

/** Does a job, with its files in place. @throws {SandboxError} */
export async function execute(
  sandbox: LocalSandbox,
  cache: FileCache,
  job: JobBody,
  { tenant, signal, onStart }: Executing,
): Promise<Executed> {
  if (job.kind === 'warm') return { outcome: { state: 'warm', info: { ...(await sandbox.warm()) } }, console: [] };
  if (job.kind === 'validate') {
    const diagnostics = await sandbox.validate(job.script, { engine: job.engine });
    return { outcome: { state: 'validated', diagnostics }, console: [] };
  }
  let root: Awaited<ReturnType<FileCache['makeRoot']>> | undefined;
  const pinned: Awaited<ReturnType<FileCache['pin']>>[] = [];
  try {
    for (const { sha256, size, ...file } of job.files) {
      const pinning = cache.pin({ tenant, sha256, size }, file);
      try {
        pinned.push(await within(pinning, { signal }));
      } catch (error) {
        // A file that is still being fetched is kept for the next run.
        void pinning.then(({ release }) => release()).catch(() => {});
        throw error;
      }
    }
    const placed = job.files.map((file, index) => ({ ...file, path: pinned[index]?.path as string }));
    const attachments = placed
      .filter(({ inRoot }) => inRoot !== true)
      .map(({ name, path }) => ({ name, path, noLinks: true }));
    if (job.hasRoot)
      root = await cache.makeRoot(
        tenant,
        placed.filter(({ inRoot }) => inRoot === true),
      );
    const console: AnswerBody['console'] = [];
    const options = optionsOf(
      job,
      { attachments, ...(root !== undefined && { root: root.path }) },
      {
        signal,
        onStart,
        ...(job.console && { onConsole: (line) => void console.push(line) }),
      },
    );
    return {
      outcome: job.kind === 'run' ? await run(sandbox, job, options) : await segment(sandbox, job, options),
      console,
    };
  } finally {
    await root?.remove();
    for (const { release } of pinned) release();
  }
}

type Common = Omit<RunOptions, 'hostFunctions' | 'profile'>;

function optionsOf(
  { script, engine, limits, scope, files, inputs }: JobBody,
  places: Pick<ScopeOptions, 'root' | 'attachments'>,
  callbacks: Pick<RunOptions, 'signal' | 'onStart' | 'onConsole'>,
): Common {
  return {
    ...callbacks,
    script,
    engine,
    ...(limits !== undefined && { limits }),
    ...((scope !== undefined || files.length > 0) && { scope: { ...scope, ...places } }),
    ...(inputs !== undefined && { inputs: decodeValue(inputs) as Record<string, unknown> }),
  };
}

async function run(sandbox: LocalSandbox, { profile }: JobBody, options: Common): Promise<Outcome> {
  const ran = await sandbox.run({ ...options, ...(profile !== undefined && { profile }) });
  const { value, queueMs: _, ...facts } = ran;
  return { state: 'completed', ...facts, value: encodeValue(value, 'the result') };
}

async function segment(sandbox: LocalSandbox, { hostFunctions, from }: JobBody, options: Common): Promise<Outcome> {
  const answers = from?.answers.map((answer) =>
    'error' in answer ? answer : { id: answer.id, value: decodeValue(answer.value) },
  );
  const asked = {
    ...options,
    hostFunctions,
    ...(from !== undefined && { from: { snapshot: Buffer.from(from.snapshot, 'base64'), answers } }),
  } as SegmentOptions;
  const { queueMs: _, ...ended } = await sandbox.runSegment(asked);
  if (ended.state === 'completed') return { ...ended, value: encodeValue(ended.value, 'the result') };
  const calls = ended.calls.map((call) => ({ ...call, args: encodeValue(call.args, 'the arguments') }));
  return { ...ended, calls, snapshot: Buffer.from(ended.snapshot).toString('base64') };
}

/** The error for a client on another machine, without facts that belong to this machine. */
export function failureOf({ code, message, details }: SandboxError): Outcome {
  const { stderr, ...rest } = details;
  return {
    state: 'failed',
    code,
    message: withoutPaths(message),
    details: { ...rest, ...(stderr !== undefined && { stderr: withoutPaths(stderr) }) },
  };
}
