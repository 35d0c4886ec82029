import { messageOf, oneLine, printable } from '@mustard-sandbox/client';
import type { ConsentFunction, ConsentRequest } from '@mustard-sandbox/agent-tool';
import { ConsentGate, describeDenial, Life, parseOptions } from '@mustard-sandbox/agent-tool/host';
import * as z from 'zod';
import { actionFor, approvalSchema, type Approval } from '../approval/rules.ts';
import { bashPrompt } from '../prompt.ts';
import { refusal, type BashProgress, type BashResult } from '../workspaces/command.ts';
import { Workspace } from '../workspaces/workspace.ts';
import { bashInputSchema, readFileInputSchema, writeFileInputSchema, type BashInput } from './input.ts';
import type { ReadFileInput, WriteFileInput } from './input.ts';

const optionsSchema = z.strictObject({
  /** Where commands run. */
  workspace: z.instanceof(Workspace, { error: 'must be a workspace of createWorkspaces()' }),
  /** Which commands run without a question. Default: a person is asked before each. */
  approval: approvalSchema.prefault({}),
  /** Asks a person. Without it, commands that would have to be asked about are refused. */
  consent: z.custom<ConsentFunction>((value) => typeof value === 'function', 'must be a function').optional(),
  /** How long a person may take to answer, in ms. */
  consentTimeoutMs: z.int().min(1_000).max(3_600_000).default(300_000),
  /** Hears how far each command is. */
  onProgress: z
    .custom<(progress: BashProgress) => void>((value) => typeof value === 'function', 'must be a function')
    .optional(),
});

/** Options of `createBashTools`. Unknown keys are refused. */
export type BashToolsOptions = z.input<typeof optionsSchema>;

/** The options of one call. */
export interface CallContext {
  /** Ends the command, with all that it started. */
  signal?: AbortSignal;
  /** Asks about this call, instead of the function that the tools were given. */
  consent?: ConsentFunction;
  /** Hears how far this command is. */
  onProgress?: (progress: BashProgress) => void;
}

interface ToolOf<Name extends string, Input, Output> {
  readonly name: Name;
  /** For the model. */
  readonly description: string;
  readonly inputSchema: z.ZodType<Input>;
  /** The same as JSON Schema. */
  readonly inputJsonSchema: Record<string, unknown>;
  readonly execute: (input: Input, context?: CallContext) => Promise<Output>;
}

/** The three tools of one workspace. The functions need no `this`. */
export interface BashTools {
  /**
   * Runs a command. A refusal is a result with the exit code 126, which says why.
   *
   * @throws {BashError} `queue_full`, `queue_timeout`, `closed`
   * @throws {SandboxError} `cancelled`, `invalid_request`
   */
  readonly bash: ToolOf<'bash', BashInput, BashResult> & {
    /**
     * What a person would be asked about this command now; `undefined` when nobody would be. For a host that asks
     * first, and hands the answer over as `consent` of the call.
     */
    readonly getConsentRequest: (input: unknown) => Promise<ConsentRequest | undefined>;
  };
  /** @throws {SandboxError} `capability_denied`, `script_error`, `invalid_request` */
  readonly readFile: ToolOf<'readFile', ReadFileInput, { content: string }>;
  /** @throws {SandboxError} `capability_denied`, `script_error`, `invalid_request` */
  readonly writeFile: ToolOf<'writeFile', WriteFileInput, { success: boolean }>;
  /** What the system prompt is to say of them. */
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
  const readSettings = () => ({ enabled: true, consent: 'ask' as const, timeoutMs: workspace.limits.timeoutMs });
  const gate = new ConsentGate({ readSettings, consent, timeoutMs: consentTimeoutMs });
  const tool = <Name extends string, Input, Output>(
    name: Name,
    description: string,
    inputSchema: z.ZodType<Input>,
    execute: (input: Input, context: CallContext) => Promise<Output>,
  ): ToolOf<Name, Input, Output> => ({
    name,
    description,
    inputSchema,
    inputJsonSchema: z.toJSONSchema(inputSchema, { io: 'input' }) as Record<string, unknown>,
    // A model may send anything: what does not fit is said before anything happens.
    execute: async (input, context = {}) => await execute(parseOptions(inputSchema, input, name), context),
  });
  const bash = tool('bash', describeBash(workspace), bashInputSchema, async ({ command, timeoutMs }, context) => {
    const denied = await whyDenied(gate, approval, command, context);
    if (denied !== undefined) return refusal(denied);
    const told = context.onProgress ?? onProgress;
    return await workspace.run(command, {
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(context.signal && { signal: context.signal }),
      ...(told && { onProgress: quietly(told) }),
    });
  });
  return {
    bash: {
      ...bash,
      async getConsentRequest(input) {
        const parsed = bashInputSchema.safeParse(input);
        if (!parsed.success || actionFor(approval, parsed.data.command) !== 'ask') return undefined;
        const request = requestOf(parsed.data.command);
        return gate.mustAsk(request) ? request : undefined;
      },
    },
    readFile: tool('readFile', describeRead(workspace), readFileInputSchema, async ({ path }) => {
      return { content: await workspace.readFile(path) };
    }),
    writeFile: tool('writeFile', describeWrite(workspace), writeFileInputSchema, async ({ path, content }) => {
      await workspace.writeFile(path, content);
      return { success: true };
    }),
    prompt: bashPrompt(workspace.folder),
  };
}

/** Why a command may not run, for the model; `undefined` where it may. */
async function whyDenied(
  gate: ConsentGate,
  approval: Approval,
  command: string,
  { signal, consent }: CallContext,
): Promise<string | undefined> {
  const action = actionFor(approval, command);
  if (action === 'allow') return undefined;
  if (action === 'deny') return 'Not allowed: a rule of the user denies this command. Do not look for a way around it.';
  using life = new Life([signal]);
  const request = requestOf(command);
  const decision = await gate.decide(request, life.signal, consent && { consent });
  return decision.allowed ? undefined : describeDenial(decision.reason, 'this command');
}

function requestOf(command: string): ConsentRequest {
  return { script: command, command, preview: `$ ${printable(command)}`, files: [] };
}

/** What a listener throws must not end a command. */
function quietly(listener: (progress: BashProgress) => void): (progress: BashProgress) => void {
  return (progress) => {
    try {
      listener(progress);
    } catch (error) {
      process.emitWarning(`onProgress threw: ${oneLine(messageOf(error))}`, 'MustardSandboxWarning');
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
