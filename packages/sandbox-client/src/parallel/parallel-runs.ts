import {
  invalidRequest,
  limitTable,
  parallelFunction,
  readLimitTable,
  SandboxError,
  type RunWarning,
  type SandboxValue,
} from '@mustard-sandbox/protocol';
import type { SidecarResult } from '../asks.ts';
import type { RunRequest } from '../run-request.ts';
import { parseCall, type ParallelCall } from './call.ts';
import { Children, type Left } from './child.ts';
import { ComputedTime } from './computed-time.ts';
import { errorOf, noTimeLeft } from './errors.ts';
import { Group } from './group.ts';
import { SharedProgress } from './progress.ts';

/** What the runs need of the sandbox. */
interface Place {
  /** How many run at a time. */
  most: number;
  /** Performs a run in a sidecar of the level below that of the run which called, so that it never waits for that one. */
  perform(child: RunRequest): Promise<SidecarResult>;
  nextId(): string;
}

interface Done {
  value: SandboxValue;
  attachmentsRead: readonly string[];
  warnings: readonly RunWarning[];
}

/**
 * The least that a run counts for, in ms, because giving it to a sidecar takes about as long. Otherwise a script could
 * start a thousand times as many as its time allows.
 */
const leastMs = 1;

/**
 * Lets a run start others, if its script asks for that.
 *
 * @throws {SandboxError} `invalid_request` for a host function of the same name
 */
export function offerParallel(request: RunRequest, place: Place): ParallelRuns | undefined {
  const { params, hostCalls } = request;
  if (hostCalls.names.includes(parallelFunction)) {
    throw invalidRequest('run()', 'hostFunctions', `'${parallelFunction}' is a built-in. Choose another name`);
  }
  // Nearly all scripts do without, and a run that calls nothing of its host's can be sent ahead.
  if (!params.script.includes(parallelFunction)) return undefined;
  const runs = new ParallelRuns(request, place);
  // The runs have deadlines of their own.
  hostCalls.add(parallelFunction, { handler: (...args) => runs.take(args), timeoutMs: longestTimer });
  params.hostFunctions = hostCalls.names;
  request.callsHost = true;
  return runs;
}

/** What Node's timers take, in ms. */
const longestTimer = 2 ** 31 - 1;

/**
 * The runs that the script of one run starts by `parallel`. The sidecar of that run may be in the power of its script, so
 * what they use is counted here, and the sidecar can only ask for less.
 */
export class ParallelRuns {
  readonly #parent: RunRequest;
  readonly #place: Place;
  readonly #children: Children;
  readonly #progress: SharedProgress;
  /** What all of them have used. */
  readonly #used = { ms: 0, bytes: 0, instructions: 0 };
  #group: Group | undefined;
  #running: Promise<unknown> | undefined;
  #isOver = false;

  constructor(parent: RunRequest, place: Place) {
    this.#parent = parent;
    this.#place = place;
    this.#children = new Children(parent);
    this.#progress = new SharedProgress(parent);
  }

  /**
   * The host function behind `parallel`.
   *
   * @throws {SandboxError} the error of the first run that fails, with its path
   */
  async take(args: SandboxValue[]): Promise<SandboxValue> {
    const call = parseCall(args);
    if (this.#isOver || this.#group !== undefined) {
      throw new SandboxError('invalid_request', 'parallel: one call at a time, while the run is under way.');
    }
    const group = (this.#group = this.#groupFor(call));
    const running = this.#perform(call, group);
    this.#running = running.catch(() => {});
    return await running.finally(() => (this.#group = undefined));
  }

  /** Settles like the run that starts them, but not before the last of them has ended. */
  async during<T>(parent: Promise<T>): Promise<T> {
    try {
      return await parent;
    } finally {
      this.#isOver = true;
      this.#group?.fail(new SandboxError('cancelled', 'The run was cancelled.'));
      await this.#running;
    }
  }

  #groupFor({ left }: ParallelCall): Group {
    const { maxTotalReadBytes = readLimitTable.maxTotalReadBytes.default } = this.#parent.params.scope ?? {};
    return new Group(Math.min(left.bytes, maxTotalReadBytes - this.#used.bytes));
  }

  /** What each of the sidecars may use. */
  #left({ left }: ParallelCall): Left {
    const { instructions = limitTable.instructions.default } = this.#parent.params.limits ?? {};
    const { ms, instructions: used } = this.#used;
    return { ms: Math.min(left.ms, this.#parent.timeoutMs - ms), instructions: instructions - used };
  }

  async #perform(call: ParallelCall, group: Group): Promise<SandboxValue> {
    const { paths } = call;
    const done: Done[] = [];
    let next = 0;
    /** Takes one path after the other, as one sidecar does. @returns what it has used */
    const lane = async (): Promise<Left> => {
      const left = this.#left(call);
      while (next < paths.length && group.error === undefined) {
        const at = next++;
        const { used, ...one } = await this.#one(call, group, paths[at] as string, left);
        left.ms -= used.ms;
        left.instructions -= used.instructions;
        if (one.done !== undefined) done[at] = one.done;
      }
      return left;
    };
    const lefts = await Promise.all(Array.from({ length: Math.min(this.#place.most, paths.length) }, lane));
    const before = this.#left(call);
    const used = {
      ms: before.ms - Math.min(...lefts.map(({ ms }) => ms)),
      instructions: before.instructions - Math.min(...lefts.map(({ instructions }) => instructions)),
    };
    this.#used.ms += used.ms;
    this.#used.instructions += used.instructions;
    this.#used.bytes += group.bytes.used;
    if (group.error !== undefined) throw group.error;
    return answerOf(done, { ...used, bytesRead: group.bytes.used });
  }

  /** If it fails, the group has the error, and the others end. */
  async #one(call: ParallelCall, group: Group, path: string, left: Left): Promise<{ used: Left; done?: Done }> {
    const run = {};
    const time = new ComputedTime();
    const startedAt = performance.now();
    try {
      if (left.ms < leastMs) throw noTimeLeft(this.#parent.timeoutMs);
      const child = this.#children.of(this.#place.nextId(), call, group, path, left);
      child.onProgress = (spent) => {
        time.report(spent);
        group.report(run, spent);
        this.#progress.report(group, spent);
      };
      const { answer, ...result } = await this.#place.perform(child);
      group.succeed(run, answer);
      const { executionMs, instructionsUsed: instructions, attachmentsRead = [], warnings = [] } = answer;
      const used = { ms: Math.max(leastMs, time.until(executionMs)), instructions };
      return { used, done: { value: result.value, attachmentsRead, warnings } };
    } catch (error) {
      group.fail(errorOf(path, error));
      return { used: { ms: time.until(performance.now() - startedAt), instructions: 0 } };
    } finally {
      group.end(run);
    }
  }
}

function answerOf(done: readonly Done[], used: Left & { bytesRead: number }): SandboxValue {
  const warned = new Set(done.flatMap(({ warnings }) => warnings.map(({ id }) => id)));
  return {
    values: done.map(({ value }) => value),
    used: { ...used },
    attachmentsRead: [...new Set(done.flatMap(({ attachmentsRead }) => attachmentsRead))],
    cutShort: ['search', 'query'].filter((name) => warned.has(`${name}-limit`)),
  };
}
