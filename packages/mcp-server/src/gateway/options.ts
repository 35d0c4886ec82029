import type { CodeModeTool } from '@mustard-sandbox/code-mode';
import { parseOptions } from '@mustard-sandbox/agent-tool/host';
import * as z from 'zod';

const keyBytes = 32;

const optionsSchema = z.strictObject({
  /** The tool that runs the scripts. It is not closed. */
  tool: z.custom<CodeModeTool>(
    (value) => typeof (value as CodeModeTool | null)?.execute === 'function',
    'must come from createCodeModeTool()',
  ),
  /** Signs the handles of runs that a client sends back: 32 bytes, the same after a restart. */
  key: z.custom<Uint8Array>((value) => value instanceof Uint8Array && value.length >= keyBytes, 'must have 32 bytes'),
  /**
   * Says how a person decides on a waiting run when the client has no form, such as a command line. It is shown with
   * the run.
   */
  decideWith: z
    .custom<(run: string) => string>((value) => typeof value === 'function', 'must be a function')
    .optional(),
  /** The version of the server, which clients show. */
  version: z.string().min(1).default('0.0.0'),
  /** Closes the server. */
  signal: z.instanceof(AbortSignal, { error: 'must be an AbortSignal' }).optional(),
  /** Called with problems that the client cannot be told. Write them to stderr. */
  onProblem: z
    .custom<(message: string) => void>((value) => typeof value === 'function', 'must be a function')
    .optional(),
});

/** Options of `serveGateway`. Unknown keys are refused. */
export type ServeGatewayOptions = z.input<typeof optionsSchema>;
export type GatewayOptions = z.output<typeof optionsSchema>;

/** @throws {SandboxError} `invalid_request` naming every wrong option */
export function parseGatewayOptions(options: ServeGatewayOptions): GatewayOptions {
  return parseOptions(optionsSchema, options, 'serveGateway()');
}
