import type { HostError, WaitingCall } from '@mustard-sandbox/client';
import { problemOfFunctionNames } from '@mustard-sandbox/protocol';
import { RunError } from './errors.ts';
import { hashOf } from './seal.ts';
import type { CallFacts, StoredCall } from './store/store.ts';
import type { DoneBefore, Policy, Ruling } from './policy.ts';
import { Later, type Tool } from './types.ts';

const defaultTimeoutMs = 30_000;
/** The longest stand-in, in characters of JSON. */
const mostStandIn = 1024 * 1024;

/** How a call ended. */
export type Ended = { value: unknown } | { error: HostError } | Later;

/** The tools of a host. */
export class Tools {
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #policy: Policy | undefined;

  /** @throws {RunError} `invalid_request` */
  constructor(tools: readonly Tool[], policy?: Policy) {
    const taken = problemOfFunctionNames(tools.map(({ name }) => name));
    if (taken !== undefined) throw new RunError('invalid_request', `tools: ${taken.problem}`);
    this.#policy = policy;
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    if (this.#tools.size < tools.length)
      throw new RunError('invalid_request', 'tools: two of them have the same name.');
  }

  get names(): string[] {
    return [...this.#tools.keys()];
  }

  /** @throws {RunError} `tool_missing` */
  get(name: string): Tool {
    const tool = this.#tools.get(name);
    if (tool !== undefined) return tool;
    throw new RunError('tool_missing', `The run calls the tool ${name}, which this host does not have.`);
  }

  /** A text that changes when one of these tools changes its meaning. @throws {RunError} `tool_missing` */
  fingerprint(names: readonly string[]): string {
    return hashOf(names.toSorted().map((name) => [name, this.get(name).version ?? '']));
  }

  /**
   * The record of a call that a script has just made. It says whether to make it, ask a person, wait for an answer from
   * outside, or refuse it.
   */
  async begun(
    { run, step, proposes }: { run: string; step: number; proposes: boolean },
    { id, name, args, line, column }: WaitingCall,
    before: DoneBefore,
  ): Promise<StoredCall> {
    const tool = this.get(name);
    const begunAt = Date.now();
    const first = { begunAt, begunIn: step };
    const call: StoredCall = {
      id,
      tool: name,
      args: JSON.stringify(args),
      line,
      column,
      key: `${run}:${id}`,
      state: stateOf(tool),
      notBefore: 0,
      answer: undefined,
      use: 'open',
      facts: first,
    };
    const checked = await checkedInput(tool, args);
    if ('problem' in checked) return { ...call, ...refused(call, checked.problem) };
    const cost = costOf(tool, checked.input);
    if (typeof cost !== 'number') return { ...call, ...refused(call, cost) };
    const ruling = await this.#ruling(run, tool, checked.input, cost, before);
    const by = ruling.by === undefined ? {} : { by: ruling.by, decidedAt: begunAt };
    if (ruling.action === 'deny') return { ...call, ...refused(call, { name: 'Error', ...ruling }, by) };
    const facts: CallFacts = { ...first, ...(cost > 0 && { cost }) };
    if (proposes && tool.standIn !== undefined) return proposed({ ...call, facts }, tool.standIn, checked.input);
    if (ruling.action === 'allow') {
      if (this.#policy === undefined) return { ...call, facts };
      return { ...call, facts: { ...facts, ruling: 'allowed', ...by } };
    }
    const rule = ruling.rule === undefined ? {} : { rule: ruling.rule };
    return { ...call, state: 'approval', facts: { ...facts, ruling: 'asked', ...by, ...rule } };
  }

  /**
   * Decides again on a call that waits for a person, after others were decided, because a rule that was kept may allow
   * it.
   */
  async reconsidered(run: string, call: StoredCall, before: DoneBefore): Promise<StoredCall | undefined> {
    if (this.#policy === undefined) return undefined;
    const tool = this.get(call.tool);
    const checked = await checkedInput(tool, JSON.parse(call.args) as unknown[]);
    const { cost = 0 } = call.facts;
    const ruling = 'problem' in checked ? undefined : await this.#ruling(run, tool, checked.input, cost, before);
    // A changed mind of the tool does not count, because the person was told that they would be asked.
    if (ruling?.action !== 'allow' || ruling.by === undefined) return undefined;
    const facts = { ...call.facts, ruling: 'allowed' as const, by: ruling.by, decidedAt: Date.now() };
    return { ...call, state: stateOf(tool), facts };
  }

  async #ruling(run: string, tool: Tool, input: unknown, cost: number, before: DoneBefore): Promise<Ruling> {
    try {
      if (this.#policy !== undefined) return await this.#policy({ run, tool: tool.name, input, cost }, before);
      return { action: (await needsApproval(tool, input)) ? 'ask' : 'allow' };
    } catch {
      // If the tool cannot decide, a person is asked.
      return { action: 'ask' };
    }
  }

  /** The next state of an approved call, or of a call that is to be made again. */
  next(name: string): 'ready' | 'external' {
    return stateOf(this.get(name));
  }

  /** Makes a call. It never throws: a failure is an answer that the script can catch. */
  async make({ tool: name, args, key }: StoredCall, signal: AbortSignal): Promise<Ended> {
    const { execute, timeoutMs = defaultTimeoutMs, inputSchema } = this.get(name);
    const timeout = AbortSignal.timeout(timeoutMs);
    const either = AbortSignal.any([signal, timeout]);
    try {
      const [given] = JSON.parse(args) as unknown[];
      const input = inputSchema === undefined ? given : (await validated(inputSchema, given)).value;
      const value = await Promise.race([execute?.(input, { key, signal: either }), aborted(either)]);
      if (!(value instanceof Later)) return { value };
      if (Number.isFinite(value.at)) return value;
      throw new TypeError(`${name}() gave later() without a valid time.`);
    } catch (error) {
      if (timeout.aborted && !signal.aborted) return { error: tooSlow(name, timeoutMs) };
      return { error: thrownBy(error) };
    }
  }
}

function stateOf(tool: Tool): 'ready' | 'external' {
  return tool.execute === undefined ? 'external' : 'ready';
}

/** The cost of a call, or why it is not made. A budget cannot count a cost that is not known. */
function costOf({ name, cost = 0 }: Tool, input: unknown): number | HostError {
  try {
    const value = typeof cost === 'number' ? cost : cost(input);
    if (value >= 0 && value < Infinity) return value;
    return { name: 'TypeError', message: `${name}() is not called, because its cost is not a number of at least 0.` };
  } catch (error) {
    return thrownBy(error);
  }
}

/** A call for which the script gets a stand-in. */
function proposed(call: StoredCall, standIn: (input: unknown) => unknown, input: unknown): StoredCall {
  const problem = (message: string): HostError => ({ name: 'TypeError', message: `${call.tool}(): ${message}` });
  try {
    const text = JSON.stringify({ value: standIn(input) ?? null });
    if (text.length > mostStandIn) return { ...call, ...refused(call, problem('its stand-in is over 1 MB.')) };
    return { ...call, state: 'proposed', facts: { ...call.facts, standIn: text } };
  } catch (error) {
    return { ...call, ...refused(call, thrownBy(error)) };
  }
}

async function needsApproval({ needsApproval: needs = false }: Tool, input: unknown): Promise<boolean> {
  return typeof needs === 'boolean' ? needs : await needs(input);
}

/** A call that is answered with an error before anything was done. */
function refused(
  { facts }: StoredCall,
  { name, message, code }: HostError,
  by: Pick<CallFacts, 'by' | 'decidedAt'> = {},
): Pick<StoredCall, 'state' | 'answer' | 'facts'> {
  const error: HostError = { name, message, ...(code !== undefined && { code }) };
  const { cost: _, ...free } = facts;
  return {
    state: 'answered',
    answer: JSON.stringify({ error }),
    facts: { ...free, answeredAt: facts.begunAt, ruling: 'refused', ...by },
  };
}

async function checkedInput(
  { name, inputSchema }: Tool,
  args: unknown[],
): Promise<{ input: unknown } | { problem: HostError }> {
  const problem = (message: string): { problem: HostError } => ({ problem: { name: 'TypeError', message } });
  if (args.length > 1) return problem(`${name}() takes one argument, and got ${args.length}.`);
  if (inputSchema === undefined) return { input: args[0] };
  const { value, issues } = await validated(inputSchema, args[0]);
  if (issues === undefined) return { input: value };
  const problems = issues.map(({ message, path = [] }) =>
    path.length === 0 ? message : `${pathOf(path)}: ${message}`,
  );
  return problem(`${name}(): ${problems.join('; ').slice(0, 2_000)}`);
}

async function validated(
  schema: NonNullable<Tool['inputSchema']>,
  value: unknown,
): Promise<{
  value?: unknown;
  issues?: readonly { message: string; path?: readonly unknown[] | undefined }[] | undefined;
}> {
  return await schema['~standard'].validate(value);
}

/** The path of a problem, whose parts may be keys, or objects with a key. */
function pathOf(path: readonly unknown[]): string {
  return path.map((part) => String((part as { key?: unknown } | null)?.key ?? part)).join('.');
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function tooSlow(name: string, timeoutMs: number): HostError {
  const message = `${name}() did not answer within ${timeoutMs} ms. Whether it was done is not known.`;
  return { name: 'Error', message, code: 'capability_timeout' };
}

const longestMessage = 16 * 1024;

function thrownBy(error: unknown): HostError {
  const { name = 'Error', message, code } = (error ?? {}) as { name?: unknown; message?: unknown; code?: unknown };
  return {
    name: String(name).slice(0, 256),
    message: String(message ?? error).slice(0, longestMessage),
    ...(typeof code === 'string' && { code: code.slice(0, 256) }),
  };
}
