import type { SandboxStats } from '@mustard-sandbox/client';
import type { ConsentRequest } from './consent.ts';
import { describeTool } from './description.ts';
import { inputJsonSchema, inputSchema, textsOf, type ExecuteSandboxScriptArgs } from './input.ts';
import { parseToolOptions, type ExecuteSandboxScriptToolOptions } from './options.ts';
import { previewScript } from './preview.ts';
import { parseRecord, type ScriptRecord } from './record.ts';
import type { ExecuteSandboxScriptResult } from './result.ts';
import { ScriptRunner, type ExecuteContext } from './runner.ts';

/** The functions need no `this`: they can be handed on one by one. */
export interface ExecuteSandboxScriptTool extends AsyncDisposable {
  readonly name: 'execute_sandbox_script';
  /** For the model: the language, the functions, the limits. The same for the life of the tool, so a prompt cache holds it. */
  readonly description: string;
  readonly inputSchema: typeof inputSchema;
  /** The same as JSON Schema. */
  readonly inputJsonSchema: typeof inputJsonSchema;
  /**
   * Whether to offer the tool to the model now: there is an engine for this platform, and the settings let scripts
   * run. Starts nothing.
   *
   * @throws {SandboxError} `invalid_request` for wrong settings, and what the settings function throws
   */
  readonly isEnabled: () => boolean;
  /** What a dialog or a log may show of a call: its description, the first lines, the files it names. Never throws. */
  readonly getConsentPreview: (args: ExecuteSandboxScriptArgs) => string;
  /**
   * What a person would be asked about this call now; `undefined` when nobody would be, because the settings or an
   * earlier answer decide, or the arguments do not fit. For a host that asks first and calls `execute` later: it
   * hands the answer over as `consent` of that call.
   *
   * @throws {SandboxError} as `execute`
   */
  readonly getConsentRequest: (args: ExecuteSandboxScriptArgs) => Promise<ConsentRequest | undefined>;
  /**
   * Runs a model's script, once the settings or the user allow it. What a script, a model or a person does is an
   * answer and no exception: arguments that do not fit, an error of the script, a refusal. So is an abort (`failed`
   * with the code `cancelled`): a loop that gave up has no use for a rejection, and one that goes on can tell the model.
   *
   * Calls may overlap. They ask for consent one after the other.
   *
   * @throws {SandboxError} `invalid_request` for wrong settings and unusable names of attachments; and what the
   *   host's own functions throw that find settings and attachments
   */
  readonly execute: (args: ExecuteSandboxScriptArgs, context?: ExecuteContext) => Promise<ExecuteSandboxScriptResult>;
  /**
   * Runs the script of a record again, with consent like any other.
   *
   * @throws {SandboxError} `invalid_request` for what is no record; and as `execute`
   */
  readonly rerun: (record: ScriptRecord, context?: ExecuteContext) => Promise<ExecuteSandboxScriptResult>;
  /**
   * Of the sandbox that scripts run in; `isolation` says whether that is in a jail. `undefined` while the tool's own
   * is not made yet.
   */
  readonly stats: () => SandboxStats | undefined;
  /** Ends what is under way, and the sandbox if it is the tool's own. May be called again. */
  readonly close: () => Promise<void>;
}

/**
 * The tool that lets a model run scripts over files.
 *
 * @throws {SandboxError} `invalid_request` naming every wrong option
 */
export function createExecuteSandboxScriptTool(
  options: ExecuteSandboxScriptToolOptions = {},
): ExecuteSandboxScriptTool {
  const parsed = parseToolOptions(options);
  const runner = new ScriptRunner(parsed);
  const close = (): Promise<void> => runner.close();
  return {
    name: 'execute_sandbox_script',
    description: describeTool(parsed),
    inputSchema,
    inputJsonSchema,
    isEnabled: () => runner.isEnabled(),
    getConsentPreview: (args) => previewScript({ ...textsOf(args), root: parsed.appPath }),
    getConsentRequest: (args) => runner.consentRequest(args),
    execute: (args, context = {}) => runner.execute(args, context),
    async rerun(record, context = {}) {
      const { script, description } = parseRecord(record);
      return await runner.execute({ script, ...(description !== undefined && { description }) }, context);
    },
    stats: () => runner.stats(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
