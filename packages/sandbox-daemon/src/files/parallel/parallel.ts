import { decodeValue, encodeValue, maxParallelFiles, quote, SandboxError } from '@mustard-sandbox/protocol';
import type { HostError, SandboxValue, WireValue } from '@mustard-sandbox/protocol';
import { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import { filesNamedBy } from '../find-files.ts';
import { scriptOf } from './script.ts';

type CutShort = 'search' | 'query';

/** What the runs of one call have used. */
interface Used {
  ms: number;
  bytesRead: number;
  instructions: number;
}

interface Answer {
  values: SandboxValue[];
  used: Used;
  attachmentsRead: string[];
  cutShort: CutShort[];
}

/** What a call needs of its run. */
interface Surroundings {
  /** How much time the run has left, in ms. */
  leftMs: number;
  /** Asks the host to run a script for each path. */
  ask: (args: SandboxValue[]) => { value: WireValue } | { error: HostError };
  /** Counts what the runs have used against the limits of this one. */
  spend: (used: Used) => void;
}

/**
 * Has the host run a function once for each file, each time in a separate run. The runs have the scope of this one, so they
 * can read no other files. Before any run starts, this checks that the files may be read.
 *
 * @throws {SandboxError} `invalid_request` for the function, `limit_exceeded` for too many files, and like `search`
 * @public by way of `later.ts`
 */
export function runInParallel(
  files: BuiltinContext & { cutShort: Set<CutShort> },
  [where, fn, ...values]: readonly SandboxValue[],
  { leftMs, ask, spend }: Surroundings,
): { value: WireValue } | { error: HostError } {
  const call = new BuiltinCall('parallel', Array.isArray(where) ? where[0] : where);
  const { paths, script } = call.run(() => ({
    script: scriptOf(fn, values.length > 0, call),
    paths: pathsOf(files, where, call),
  }));
  if (paths.length === 0) return { value: { json: [] } };
  const { maxTotalReadBytes, used: readBytes } = files.budget;
  const left = { ms: leftMs, bytes: maxTotalReadBytes - readBytes };
  const outcome = ask([{ script, paths, left, values }]);
  if ('error' in outcome) {
    const { code, message, details } = outcome.error;
    // The run has no time left either, so its script cannot catch this.
    if (code === 'timeout') throw new SandboxError('timeout', message);
    // The error of the run then says which limit it was.
    if (code === 'limit_exceeded')
      throw new SandboxError(code, message, { details: { ...details, capability: call.name } });
    return outcome;
  }
  const answer = decodeValue(outcome.value) as unknown as Answer;
  files.budget.used += answer.used.bytesRead;
  for (const name of answer.attachmentsRead) files.markRead(`attachments:${name}`);
  for (const name of answer.cutShort) files.cutShort.add(name);
  spend(answer.used);
  return { value: encodeValue(answer.values, 'result') };
}

function pathsOf(files: BuiltinContext, where: SandboxValue | undefined, call: BuiltinCall): string[] {
  const paths: string[] = [];
  for (const one of Array.isArray(where) ? where : [where]) {
    const ofOne = new BuiltinCall('parallel', one);
    const named = ofOne.run(() => filesNamedBy(files, one, ofOne));
    const [unreadable] = named.unreadable;
    if (unreadable !== undefined) throw ofOne.failed('NotReadableError', `${quote(unreadable)} cannot be listed.`);
    for (const path of named.paths) paths.push(path);
    if (paths.length > maxParallelFiles) throw tooMany(paths.length, call);
  }
  return paths;
}

function tooMany(actual: number, call: BuiltinCall): SandboxError {
  const why =
    `these are over ${maxParallelFiles} files, the most for one call. search and query take all files of a pattern at ` +
    'once; or call parallel for some of them at a time.';
  return call.limitExceeded('value_items', maxParallelFiles, actual, why, 'items');
}
