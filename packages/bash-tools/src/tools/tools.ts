import { messageOf, oneLine } from '@mustard-sandbox/protocol';
import { SandboxError } from '@mustard-sandbox/client';
import type { ConsentFunction, ConsentRequest } from '@mustard-sandbox/agent-tool';
import { ConsentGate, describeDenial, Life, parseOptions } from '@mustard-sandbox/agent-tool/host';
import * as z from 'zod';
import { approvalSchema } from '../approval/rules.ts';
import { bashPrompt } from '../prompt.ts';
import { refusal, type BashProgress, type BashResult, type RunCommandOptions } from '../workspaces/command.ts';
import { Workspace } from '../workspaces/workspace.ts';
import { bashInputSchema, readFileInputSchema, writeFileInputSchema, type BashInput } from './input.ts';
import type { ReadFileInput, WriteFileInput } from './input.ts';
import { Questions, type Judged } from './questions.ts';

const optionsSchema = z.strictObject({
  /** The workspace in which commands run. */
  workspace: z.instanceof(Workspace, { error: 'must be a workspace of createWorkspaces()' }),
  /** Which commands run without a question. Default: a person is asked before each. */
  approval: approvalSchema.prefault({}),
  /** Asks a person. Without it, commands that would need a question are refused. */
  consent: z.custom<ConsentFunction>((value) => typeof value === 'function', 'must be a function').optional(),
  /** How long a person may take to answer, in ms. */
  consentTimeoutMs: z.int().min(1_000).max(3_600_000).default(300_000),
  /** Called with the progress of each command. */
  onProgress: z
    .custom<(progress: BashProgress) => void>((value) => typeof value === 'function', 'must be a function')
    .optional(),
});

/** Options of `createBashTools`. Unknown keys are refused. */
export type BashToolsOptions = z.input<typeof optionsSchema>;

/** The options of one call. */
export interface CallContext {
  /** Ends the command, with everything that it started. */
  signal?: AbortSignal;
  /** The function that asks about this call, instead of the one that the tools were given. */
  consent?: ConsentFunction;
  /** Called with the progress of this command. */
  onProgress?: (progress: BashProgress) => void;
  /** Called with what this command has printed, while it runs and at its end. */
  onOutput?: RunCommandOptions['onOutput'];
  /** Domains that this command may reach. The host says them in its question. Default: no network. */
  domains?: readonly string[];
}

interface ToolOf<Name extends string, Input, Output> {
  readonly name: Name;
  /** For the model. */
  readonly description: string;
  readonly inputSchema: z.ZodType<Input>;
  /** `inputSchema` as JSON Schema. */
  readonly inputJsonSchema: Record<string, unknown>;
  readonly execute: (input: Input, context?: CallContext) => Promise<Output>;
  /**
   * The question that a person would be asked about this call now; `undefined` when nobody would be asked. It is for a
   * host that asks first, and passes the answer as `consent` of the call.
   */
  readonly getConsentRequest: (input: unknown) => Promise<ConsentRequest | undefined>;
}

/** The three tools of one workspace. The functions do not use `this`. */
export interface BashTools {
  /**
   * Runs a command. A refusal is a result with the exit code 126, which says why.
   *
   * @throws {BashError} `queue_full`, `queue_timeout`, `closed`
   * @throws {SandboxError} `cancelled`, `invalid_request`
   */
  readonly bash: ToolOf<'bash', BashInput, BashResult>;
  /** @throws {SandboxError} `capability_denied`, `script_error`, `invalid_request` */
  readonly readFile: ToolOf<'readFile', ReadFileInput, { content: string }>;
  /** @throws {SandboxError} `capability_denied`, `script_error`, `invalid_request` */
  readonly writeFile: ToolOf<'writeFile', WriteFileInput, { success: boolean }>;
  /** The part of the system prompt about them. */
  readonly prompt: string;
}

/**
 * The tools `bash`, `readFile` and `writeFile` for the workspace of a chat.
 *
 * @throws {SandboxError} `invalid_request` naming every wrong option
 */
export function createBashTools(options: BashToolsOptions): BashTools {
  const { workspace, approval, consent, consentTimeoutMs, onProgress } = parseOptions(
    optionsSchema,
    options,
    'createBashTools()',
  );
  const readSettings = () => ({ enabled: true, consent: 'ask' as const });
  const gate = new ConsentGate({ readSettings, consent, timeoutMs: consentTimeoutMs });
  const questions = new Questions(workspace, approval);
  const tool = <Name extends string, Input, Output>(
    { name, description, inputSchema, judge }: Kind<Name, Input>,
    execute: (input: Input, context: CallContext, judged: Judged) => Promise<Output>,
  ): ToolOf<Name, Input, Output> => ({
    name,
    description,
    inputSchema,
    inputJsonSchema: z.toJSONSchema(inputSchema, { io: 'input' }) as Record<string, unknown>,
    // A model may send anything, so arguments that do not fit are refused before anything happens.
    execute: async (input, context = {}) => {
      const parsed = parseOptions(inputSchema, input, name);
      return await execute(parsed, context, await judge(parsed));
    },
    async getConsentRequest(input) {
      const parsed = inputSchema.safeParse(input);
      if (!parsed.success) return undefined;
      const { action, request } = await judge(parsed.data);
      return action === 'ask' && gate.mustAsk(request) ? request : undefined;
    },
  });
  const assertAllowed = async (what: string, context: CallContext, judged: Judged): Promise<void> => {
    const denied = await whyDenied(gate, judged, what, context);
    if (denied === undefined) return;
    throw new SandboxError('capability_denied', denied, {
      details: { capability: what, path: judged.request.file?.path ?? '' },
    });
  };
  const bash: Kind<'bash', BashInput> = {
    name: 'bash',
    description: describeBash(workspace),
    inputSchema: bashInputSchema,
    judge: ({ command }) => questions.command(command),
  };
  const readFile: Kind<'readFile', ReadFileInput> = {
    name: 'readFile',
    description: describeRead(workspace),
    inputSchema: readFileInputSchema,
    judge: ({ path }) => questions.read(path),
  };
  const writeFile: Kind<'writeFile', WriteFileInput> = {
    name: 'writeFile',
    description: describeWrite(workspace),
    inputSchema: writeFileInputSchema,
    judge: ({ path, content }) => questions.write(path, content),
  };
  return {
    bash: tool(bash, async ({ command, timeoutMs }, context, judged) => {
      const denied = await whyDenied(gate, judged, 'command', context);
      if (denied !== undefined) return refusal(denied);
      const told = context.onProgress ?? onProgress;
      return await workspace.run(command, {
        ...(timeoutMs !== undefined && { timeoutMs }),
        ...(context.signal && { signal: context.signal }),
        ...(told && { onProgress: quietly(told) }),
        ...(context.onOutput && { onOutput: quietly(context.onOutput) }),
        ...(context.domains && { domains: context.domains }),
        ...(judged.byRule === true && { holdBack: true }),
      });
    }),
    readFile: tool(readFile, async ({ path }, context, judged) => {
      await assertAllowed('readFile', context, judged);
      return { content: await workspace.readFile(path) };
    }),
    writeFile: tool(writeFile, async ({ content }, context, judged) => {
      await assertAllowed('writeFile', context, judged);
      // The file is written where the path led when the question was asked, and nowhere else.
      await workspace.writeFile(judged.path ?? '.', content, { noLinks: true });
      return { success: true };
    }),
    prompt: bashPrompt(workspace.folder),
  };
}

interface Kind<Name extends string, Input> {
  name: Name;
  description: string;
  inputSchema: z.ZodType<Input>;
  /** The decision about a call, before it is made. */
  judge: (input: Input) => Promise<Judged>;
}

/** Why a call may not be made, for the model; `undefined` when it may. */
async function whyDenied(
  gate: ConsentGate,
  { action, request, denial }: Judged,
  what: string,
  { signal, consent }: CallContext,
): Promise<string | undefined> {
  if (action === 'allow') return undefined;
  if (action === 'deny') return `Not allowed: ${denial}. Do not look for a way around it.`;
  using life = new Life([signal]);
  const decision = await gate.decide(request, life.signal, consent && { consent });
  if (decision.allowed) return undefined;
  const why = request.file?.why;
  return `${describeDenial(decision.reason, `this ${what}`)}${why === undefined ? '' : ` The user is asked because ${why}.`}`;
}

/** An error of a listener must not end a command. */
function quietly<T>(listener: (told: T) => void): (told: T) => void {
  return (told) => {
    try {
      listener(told);
    } catch (error) {
      process.emitWarning(`A listener of a command threw: ${oneLine(messageOf(error))}`, 'MustardSandboxWarning');
    }
  };
}

function describeBash({ folder, limits }: Workspace): string {
  return `Runs a command with bash in ${folder}, an isolated workspace of this chat, and gives its stdout, stderr and exit code. Each call is a new shell; files stay, also those of /tmp and $HOME. stdin is empty. A command ends after ${limits.timeoutMs / 1_000} s unless timeoutMs says otherwise (at most ${limits.maxTimeoutMs / 1_000} s), and everything that it started ends with it. Long output is cut; the line with "…(truncated)" names the file that has all of it.`;
}

function describeRead({ folder }: Workspace): string {
  return `Reads a file of the workspace ${folder} as text.`;
}

function describeWrite({ folder }: Workspace): string {
  return `Writes a file of the workspace ${folder}, and makes the folders that it lies in. What was in the file is replaced.`;
}
