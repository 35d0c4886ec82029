import type { ConsentFunction, ConsentRequest } from '@mustard-sandbox/agent-tool';

/** The answer of a tool of the host. */
export interface McpToolAnswer {
  /** The text for the model. */
  text: string;
  /** The answer as an object. */
  structured: Record<string, unknown>;
  /** Whether the call went wrong. */
  isError: boolean;
}

/** A tool of the host's own, in addition to `execute_sandbox_script`. */
export interface McpTool {
  /** Unique among the tools of the server. */
  name: string;
  /** A title for a person. */
  title: string;
  /** The description for the model. */
  description: string;
  /** The JSON Schema of the input, which is an object. */
  inputSchema: Record<string, unknown>;
  /** The JSON Schema of `structured` in its answers. */
  outputSchema?: Record<string, unknown>;
  /** Whether it changes nothing. */
  readOnly: boolean;
  /** Whether it may delete or overwrite something. Default: true unless it is `readOnly`. */
  isDestructive?: boolean;
  /**
   * The question that a person would be asked about this call now; `undefined` when nobody would be asked. Absent when
   * nobody is ever asked.
   */
  getConsentRequest?: (args: Record<string, unknown>) => Promise<ConsentRequest | undefined>;
  /** An error that it throws becomes an answer with `isError`. */
  call: (
    args: Record<string, unknown>,
    context: { signal: AbortSignal; consent?: ConsentFunction },
  ) => Promise<McpToolAnswer>;
}
