import type { SandboxStats } from '@mustard-sandbox/client';
import type { ConsentRequest } from './consent.ts';
import { describeTool } from './description.ts';
import { inputJsonSchema, inputSchema, textsOf, type ExecuteSandboxScriptArgs } from './input.ts';
import { parseToolOptions, type ExecuteSandboxScriptToolOptions } from './options.ts';
import { previewScript } from './preview.ts';
import { parseRecord, type ScriptRecord } from './record.ts';
import type { ExecuteSandboxScriptResult } from './result.ts';
import { ScriptRunner, type ExecuteContext } from './runner.ts';

/** The tool. Its functions do not use `this`, so each can be passed on by itself. */
export interface ExecuteSandboxScriptTool extends AsyncDisposable {
  readonly name: 'execute_sandbox_script';
  /** For the model: the language, the functions, the limits. It never changes, so a prompt cache can keep it. */
  readonly description: string;
  readonly inputSchema: typeof inputSchema;
  /** `inputSchema` as JSON Schema. */
  readonly inputJsonSchema: typeof inputJsonSchema;
  /**
   * Whether to offer the tool to the model now: this platform has an engine, and the settings allow scripts. It starts
   * nothing.
   *
   * @throws {SandboxError} `invalid_request` for wrong settings, and the error of the settings function
   */
  readonly isEnabled: () => boolean;
  /** What a dialog or a log may show of a call: its description, the first lines, the files it names. Never throws. */
  readonly getConsentPreview: (args: ExecuteSandboxScriptArgs) => string;
  /**
   * The question that a person would be asked about this call now. `undefined` when nobody would be asked, because the
   * settings or an earlier answer decide, or the arguments are invalid. It is for a host that asks first and calls
   * `execute` later, with the answer as `consent` of that call.
   *
   * @throws {SandboxError} like `execute`
   */
  readonly getConsentRequest: (args: ExecuteSandboxScriptArgs) => Promise<ConsentRequest | undefined>;
  /**
   * Runs a model's script, once the settings or the user allow it. A mistake of a script, a model or a person is an
   * answer and not an exception: invalid arguments, an error of the script, a refusal. An abort is an answer too
   * (`failed` with the code `cancelled`), which a loop that goes on can tell the model.
   *
   * Calls may overlap. They ask for consent one after the other.
   *
   * @throws {SandboxError} `invalid_request` for wrong settings and unusable names of attachments; and the errors of
   * the
   *   host's own functions for settings and attachments
   */
  readonly execute: (args: ExecuteSandboxScriptArgs, context?: ExecuteContext) => Promise<ExecuteSandboxScriptResult>;
  /**
   * Runs the script of a record again, with consent like any other call.
   *
   * @throws {SandboxError} `invalid_request` for a value that is not a record; and like `execute`
   */
  readonly rerun: (record: ScriptRecord, context?: ExecuteContext) => Promise<ExecuteSandboxScriptResult>;
  /**
   * Statistics of the sandbox that scripts run in; `isolation` says whether it is a jail. `undefined` before the tool's own
   * sandbox is made.
   */
  readonly stats: () => SandboxStats | undefined;
  /** Ends the pending calls and the tool's own sandbox. It may be called again. */
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
