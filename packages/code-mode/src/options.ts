import type { ScopeOptions, LimitOptions } from '@mustard-sandbox/client';
import type { TracerLike } from '@mustard-sandbox/agent-tool';
import type { LargeAnswers, Remembered, RunsOptions } from '@mustard-sandbox/runs';
import * as z from 'zod';
import type { AiTool } from './ai-tools.ts';
import { CodeModeError } from './errors.ts';

const count = z.int().min(0);
const ms = z.int().min(1);
const namespace = z.string().regex(/^[A-Za-z_$][\w$]{0,63}$/, 'is not an identifier');

const ruleSchema = z.strictObject({
  /** Names of tools in scripts. `*` stands for any text: `github.*`. */
  tool: z.string(),
  /**
   * Fields of the input, such as `repo` or `repo.owner`, and their values. A text is a pattern with `*`; other values
   * must be equal.
   */
  input: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
  action: z.enum(['allow', 'ask', 'deny']),
  /** The reason that the script gets with a denial. */
  why: z.string().optional(),
  /**
   * The fields whose values an approval with `remember` covers. Default: the whole input, so that only the same call is
   * allowed. An empty list allows every input.
   */
  keep: z.array(z.string()).readonly().optional(),
});
/** What happens to calls. The first rule that matches decides. */
export type Rule = z.input<typeof ruleSchema>;

const budgetSchema = z.strictObject({
  tool: z.string(),
  /** How many calls a run may make of these tools. */
  calls: count.optional(),
  /** How many bytes of JSON they may have returned before the next call is refused. */
  bytes: count.optional(),
  /**
   * How much their calls may cost together, by the costs that the tools declare. A call that would cost more than is
   * left is refused.
   */
  cost: z.number().min(0).optional(),
});
/** How much a run may use of tools. All budgets apply at once. */
export type Budget = z.input<typeof budgetSchema>;

const rememberedSchema = z.strictObject({
  tool: z.string(),
  input: z.unknown().optional(),
  where: z.record(z.string(), z.unknown()).optional(),
});
/** What an approval with `remember` allows: one tool, with this input, or with these values of some of its fields. */
export type RememberedRule = z.output<typeof rememberedSchema>;

const toolOfServer = z.strictObject({
  /** The cost of a call for `budgets`, in a unit of your choice. */
  cost: z.number().min(0).optional(),
  /**
   * What a script gets with `writes: 'propose'` before the call is made: JSON, or a function of the input that returns
   * it.
   */
  standIn: z.unknown().optional(),
});

const ofServer = {
  /** How long a call may take, in ms. Default: the time of the tool. */
  timeoutMs: ms.optional(),
  /** Whether `readOnlyHint` and `idempotentHint` are believed. Default: true. */
  trustHints: z.boolean().optional(),
  /** Facts that the server does not give about its tools. The key is the name in scripts, without the namespace. */
  tools: z.record(z.string(), toolOfServer).optional(),
};
const stdioSchema = z.strictObject({
  command: z.string(),
  args: z.array(z.string()).optional(),
  /** Environment variables of the server. It gets only a few of the host's, such as PATH. */
  env: z.record(z.string(), z.string()).optional(),
  cwd: z.string().optional(),
  ...ofServer,
});
/** An MCP server that is a program and speaks over its stdio. */
export type StdioServer = z.input<typeof stdioSchema>;

const httpSchema = z.strictObject({
  /** The URL of streamable HTTP. */
  url: z.url(),
  headers: z.record(z.string(), z.string()).optional(),
  ...ofServer,
});
/** An MCP server at an address. */
export type HttpServer = z.input<typeof httpSchema>;

/** An MCP server. */
export type ServerOptions = StdioServer | HttpServer;

const isFunction = (value: unknown): boolean => typeof value === 'function';
const given = <T>(): z.ZodType<T> => z.custom<T>((value) => typeof value === 'object' && value !== null, 'is missing');

const optionsSchema = z.strictObject({
  sandbox: given<RunsOptions['sandbox']>(),
  store: given<RunsOptions['store']>(),
  keys: given<RunsOptions['keys']>(),
  tenant: z.string().optional(),
  tools: z.record(z.string(), given<AiTool>()).default({}),
  mcp: z.record(namespace, z.union([stdioSchema, httpSchema])).default({}),
  policy: z.array(ruleSchema).default([]),
  budgets: z.array(budgetSchema).default([{ tool: '*', calls: 1_000 }]),
  remembered: z.union([z.array(rememberedSchema), z.custom<() => readonly RememberedRule[]>(isFunction)]).default([]),
  onRemember: z.custom<Handler>(isFunction, 'must be a function').optional(),
  onServerFailed: z.custom<FailureHandler>(isFunction, 'must be a function').optional(),
  largeAnswers: given<LargeAnswers>().optional(),
  scope: given<ScopeOptions>().optional(),
  limits: given<LimitOptions>().default({}),
  check: z.enum(['sure', 'all', 'off']).default('sure'),
  writes: z.enum(['make', 'propose']).default('make'),
  timeoutMs: ms.default(30_000),
  connectMs: ms.default(30_000),
  parallelCalls: z.int().min(1).default(8),
  descriptionTokens: count.default(8_000),
  outputBytes: count.default(20_000),
  tracer: given<TracerLike>().optional(),
});

type Handler = (rule: RememberedRule, approval: Omit<Remembered, 'rule'>) => void | Promise<void>;
type FailureHandler = (server: string, error: CodeModeError) => void;

/** Options of `createCodeModeTool`. */
export interface CodeModeOptions extends Pick<RunsOptions, 'sandbox' | 'store' | 'keys' | 'tenant'> {
  /** Tools of the AI SDK. Scripts call `find` as `tools.find(…)`, and `crm.find` as `crm.find(…)`. */
  tools?: Record<string, AiTool>;
  /** MCP servers by the namespace of their tools: `github` for `github.search_issues(…)`. */
  mcp?: Record<string, ServerOptions>;
  /**
   * Rules, or a function that returns them at each call if they may change. Default: `needsApproval` of a tool decides,
   * and tools of MCP servers ask unless they say that they only read.
   */
  policy?: readonly Rule[] | (() => readonly Rule[]);
  /** Default: 1,000 calls in each run. */
  budgets?: readonly Budget[];
  /**
   * The rules that earlier approvals have kept, or a function that returns them at each call if another process may add
   * to them. A rule of `policy` that denies is stronger.
   */
  remembered?: readonly RememberedRule[] | (() => readonly RememberedRule[]);
  /** Called with what an approval with `remember: 'always'` allows, so that you can keep it for `remembered`. */
  onRemember?: Handler;
  /** Called for a server that cannot be reached. Its tools are left out. Without it `createCodeModeTool` fails. */
  onServerFailed?: FailureHandler;
  /** Without it, an answer over 1 MB is an error. */
  largeAnswers?: LargeAnswers;
  /** What scripts may read in addition. Default: nothing. */
  scope?: ScopeOptions;
  /**
   * Limits of each run. `hostCalls` is 2,000 by default. A call beyond it is refused without an entry in the ledger.
   */
  limits?: LimitOptions;
  /**
   * Whether TypeScript, if it is installed, checks a script before anything is called. `sure`: a script is refused only
   * for a call that it surely makes and that surely fails; other findings are reported when the script fails. `all`: it
   * is refused for each finding about a call of a tool. Default: `sure`.
   */
  check?: 'sure' | 'all' | 'off';
  /**
   * `propose`: calls of tools with a `standIn` are not made while a script runs. The script gets the stand-ins, and at
   * its end a person approves all of these calls at once. Default: `make`.
   */
  writes?: 'make' | 'propose';
  /** How long a call may take, in ms. Default: 30,000. */
  timeoutMs?: number;
  /** How long a server may take to start and to list its tools, in ms. Default: 30,000. */
  connectMs?: number;
  /** How many calls of one run are made at the same time. Default: 8. */
  parallelCalls?: number;
  /** How many tokens the types of the tools may take in the description, at four characters a token. Default: 8,000. */
  descriptionTokens?: number;
  /** How many bytes of a result the model gets. Default: 20,000. */
  outputBytes?: number;
  /** Each call of a tool becomes a span. Needs the package `@opentelemetry/api`. */
  tracer?: TracerLike;
}

/** The options with their defaults filled in. */
export interface ParsedOptions extends Omit<z.output<typeof optionsSchema>, 'policy'> {
  policy: () => readonly Rule[];
}

/** @throws {CodeModeError} `invalid_request` naming every wrong key */
export function parseOptions({ policy, ...options }: CodeModeOptions): ParsedOptions {
  const isFixed = typeof policy !== 'function';
  const result = optionsSchema.safeParse({ ...options, ...(isFixed && policy !== undefined && { policy }) });
  if (result.success) {
    const { policy: fixed, ...data } = result.data;
    return { ...data, policy: isFixed ? () => fixed : policy };
  }
  const problems = problemsOf(result.error.issues);
  throw new CodeModeError('invalid_request', `createCodeModeTool(): ${problems.join('; ')}.`);
}

/**
 * The problems of a value. For a union, those of the alternative that fits best, because "Invalid input" names nothing.
 */
function problemsOf(issues: readonly z.core.$ZodIssue[], outer: readonly PropertyKey[] = []): string[] {
  return issues.flatMap((issue) => {
    const path = [...outer, ...issue.path];
    if (issue.code === 'invalid_union' && issue.errors.length > 0) {
      const best = issue.errors.reduce((a, b) => (b.length < a.length ? b : a));
      return problemsOf(best, path);
    }
    return [[...path.map(String), issue.message].join(': ')];
  });
}
