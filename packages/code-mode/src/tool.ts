import { randomUUID } from 'node:crypto';
import {
  createRuns,
  type Decision,
  type ForkOptions,
  type Policy,
  type Run,
  type Runs,
  type Tool,
} from '@mustard-sandbox/runs';
import { inSpans, type InSpan } from '@mustard-sandbox/agent-tool/host';
import { limitTable } from '@mustard-sandbox/client';
import { problemOfFunctionNames } from '@mustard-sandbox/protocol';
import * as z from 'zod';
import { entryOfAiTool } from './ai-tools.ts';
import { Catalog } from './catalog.ts';
import { ScriptCheck, type Finding } from './check/check.ts';
import { describe, lookupTools } from './description.ts';
import type { Entry } from './entry.ts';
import { CodeModeError } from './errors.ts';
import { McpServer } from './mcp/server.ts';
import { parseOptions, type CodeModeOptions, type ParsedOptions, type RememberedRule } from './options.ts';
import { policyOf } from './policy.ts';
import { refusedResult, resultOf, type CodeModeResult } from './result.ts';

const mostScript = limitTable.scriptBytes.default;
/** More than a budget allows by default, so that the sidecar ends a script that goes on in spite of it. */
const mostCalls = 2_000;

/** What a model passes. */
const inputSchema = z.strictObject({
  script: z
    .string()
    .min(1)
    .max(mostScript)
    .describe('The script, in JavaScript. The value of its last statement is the result.'),
});
/** What a model passes. */
export type CodeModeArgs = z.infer<typeof inputSchema>;

/** A function that scripts can call, for a person who decides about it. */
export interface ToolFacts {
  /** The name in scripts: `github.search_issues`. */
  name: string;
  /** The description of its provider, who may lie. */
  description: string;
  /** Whether its MCP server says that it changes nothing. */
  isReadOnly: boolean;
}

/** A tool whose scripts call other tools. */
export interface CodeModeTool extends AsyncDisposable {
  /** The description for the model: the types of all tools, or how to look them up. */
  description: string;
  inputSchema: typeof inputSchema;
  /**
   * Runs a script until it ends or waits.
   *
   * @param options `id` of the run, if the host chooses it: the same script is then run only once. `signal` cancels the
   * run.
   */
  execute(args: CodeModeArgs, options?: { id?: string; signal?: AbortSignal }): Promise<CodeModeResult>;
  /** Decides on calls that a run waits for, and continues the run. */
  resume(run: string, decisions: readonly Decision[]): Promise<CodeModeResult>;
  /** Starts a new run that differs from a call on: `runs.fork` with its result. */
  fork(run: string, options: ForkOptions): Promise<CodeModeResult>;
  /** The functions that scripts can call, except those of code mode itself. */
  tools: readonly ToolFacts[];
  /** All runs: to list them, to audit them, to cancel one, and for `recover` after a start. */
  runs: Runs;
  /** Ends the MCP servers, the runs and the store. The sandbox stays open, because it is the host's. */
  close(): Promise<void>;
}

/**
 * A tool whose scripts call AI SDK tools and MCP servers as functions. This connects to the servers.
 *
 * @throws {CodeModeError} `invalid_request`, `server_failed`, `client_unavailable`
 */
export async function createCodeModeTool(given: CodeModeOptions): Promise<CodeModeTool> {
  const options = parseOptions(given);
  const servers = Object.entries(options.mcp).map(([name, of]) => new McpServer(name, of, options));
  try {
    const inSpan = await inSpans(options.tracer);
    return new CodeMode(options, servers, await entriesOf(options, servers), inSpan);
  } catch (error) {
    await Promise.all(servers.map((server) => server.close()));
    throw error;
  }
}

class CodeMode implements CodeModeTool {
  readonly description: string;
  readonly inputSchema = inputSchema;
  readonly tools: readonly ToolFacts[];
  readonly runs: Runs;
  readonly #options: ParsedOptions;
  readonly #servers: readonly McpServer[];
  readonly #names: readonly string[];
  readonly #check: ScriptCheck | undefined;

  constructor(options: ParsedOptions, servers: readonly McpServer[], entries: readonly Entry[], inSpan: InSpan) {
    const { sandbox, store, keys, tenant, parallelCalls, largeAnswers, scope, onRemember } = options;
    const catalog = new Catalog(entries, options.descriptionTokens);
    const tools = [...entries.map((entry) => toolOf(entry, inSpan)), ...(catalog.isWhole ? [] : lookups(catalog))];
    const { remembered: earlier } = options;
    const remembered: RememberedRule[] = typeof earlier === 'function' ? [] : [...earlier];
    const all = (): RememberedRule[] => [...(typeof earlier === 'function' ? earlier() : []), ...remembered];
    this.#check = options.check === 'off' ? undefined : new ScriptCheck(entries, catalog);
    this.#options = options;
    this.#servers = servers;
    this.tools = entries.map(({ name, description, isReadOnly = false }) => ({ name, description, isReadOnly }));
    this.#names = tools.map(({ name }) => name);
    this.description = describe(catalog, {
      hasFiles: largeAnswers !== undefined || scope !== undefined,
      proposes: options.writes === 'propose',
    });
    this.runs = createRuns({
      ...{ sandbox, store, keys, tools, parallelCalls },
      ...(tenant !== undefined && { tenant }),
      ...(largeAnswers !== undefined && { largeAnswers }),
      policy: policyFor(options, entries, all),
      onAlways: async ({ rule, ...approval }) => {
        remembered.push(rule as RememberedRule);
        await onRemember?.(rule as RememberedRule, approval);
      },
    });
  }

  async execute(args: CodeModeArgs, { id: chosen, signal }: ExecuteOptions = {}): Promise<CodeModeResult> {
    const id = chosen ?? randomUUID();
    const { script } = inputSchema.parse(args);
    const { scope, limits, writes } = this.#options;
    const tools = namesIn(script, this.#names);
    const start = { id, script, tools, writes, ...(scope && { scope }), limits: { hostCalls: mostCalls, ...limits } };
    signal?.throwIfAborted();
    const findings = await this.#findings(chosen, script);
    const refused = findings.filter(({ isSure }) => isSure || this.#options.check === 'all');
    if (refused.length > 0) return refusedResult(id, refused, this.#check?.textOf(refused) ?? '');
    signal?.throwIfAborted();
    const cancel = (): void => void this.runs.cancel(id).catch(() => {});
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      const result = this.#result(await this.runs.startRun(start), script);
      if (result.status !== 'failed' || findings.length === 0) return result;
      return { ...result, text: `${result.text}\nTypeScript also says:\n${this.#check?.textOf(findings)}` };
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  async resume(run: string, decisions: readonly Decision[]): Promise<CodeModeResult> {
    const after = await this.runs.resume(run, decisions);
    return this.#result(after, await this.runs.script(run));
  }

  async fork(run: string, options: ForkOptions): Promise<CodeModeResult> {
    const after = await this.runs.fork(run, options);
    return this.#result(after, await this.runs.script(run));
  }

  async close(): Promise<void> {
    this.#check?.close();
    await this.runs.close();
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** @param id of a run that may exist already, and is then not started again */
  async #findings(id: string | undefined, script: string): Promise<Finding[]> {
    if (this.#check === undefined) return [];
    if (id !== undefined && (await this.runs.get(id).catch(() => undefined)) !== undefined) return [];
    return await this.#check.findings(script);
  }

  #result(run: Run, script: string): CodeModeResult {
    return resultOf(run, script, this.#names, this.#options.outputBytes);
  }
}

interface ExecuteOptions {
  id?: string;
  signal?: AbortSignal;
}

/** @throws {CodeModeError} `invalid_request`, `server_failed`, `client_unavailable` */
async function entriesOf(
  { tools, mcp, timeoutMs, onServerFailed }: ParsedOptions,
  servers: readonly McpServer[],
): Promise<Entry[]> {
  const own = Object.entries(tools).map(([name, tool]) => {
    const full = name.includes('.') ? name : `tools.${name}`;
    const [space = ''] = full.split('.', 1);
    if (!Object.hasOwn(mcp, space)) return entryOfAiTool(full, tool, timeoutMs);
    throw new CodeModeError('invalid_request', `tools: '${name}' stands in the namespace of an MCP server.`);
  });
  const listed = await Promise.all(servers.map((server) => listedOf(server, onServerFailed)));
  const entries = [...(await Promise.all(own)), ...listed.flat()];
  const taken = problemOfFunctionNames([...entries.map(({ name }) => name), ...lookupTools]);
  if (taken !== undefined) throw new CodeModeError('invalid_request', taken.problem);
  return entries;
}

async function listedOf(server: McpServer, onFailed: ParsedOptions['onServerFailed']): Promise<Entry[]> {
  if (onFailed === undefined) return await server.entries();
  return await server.entries().catch((error: CodeModeError) => {
    onFailed(server.namespace, error);
    return [];
  });
}

function toolOf({ name, description, tool, execute }: Entry, inSpan: InSpan): Tool {
  if (execute === undefined) return { name, description, ...tool };
  const attributes = { 'sandbox.host_function': name };
  return {
    name,
    description,
    ...tool,
    execute: (input, context) => inSpan('sandbox.host_call', attributes, async () => await execute(input, context)),
  };
}

/** The functions with which scripts look tools up. */
function lookups(catalog: Catalog): Tool[] {
  const text = { '~standard': { validate: (value: unknown) => ({ value: String(value) }) } };
  const shared = { description: '', idempotent: true, inputSchema: text };
  return [
    { name: 'describe_tool', ...shared, execute: (name: string) => catalog.describe(name) },
    { name: 'search_tools', ...shared, execute: (query: string) => catalog.search(query) },
  ];
}

function policyFor(options: ParsedOptions, entries: readonly Entry[], remembered: () => RememberedRule[]): Policy {
  const known = new Map(entries.map((entry) => [entry.name, entry]));
  const { policy: rules, budgets } = options;
  const asks = ({ tool, input, run }: Parameters<Policy>[0]): ReturnType<Entry['asks']> | undefined =>
    known.get(tool)?.asks(input, run);
  return policyOf({ rules, budgets, remembered, asks });
}

/** The tools that a script may call. A change of any other tool does not matter for its run. */
function namesIn(script: string, names: readonly string[]): string[] {
  // By these a script could reach a tool by a computed name, or by a name with an escape.
  if (script.includes('globalThis') || script.includes(String.raw`\u`)) return [...names];
  return names.filter((name) => script.includes(name.split('.', 1)[0] as string));
}
