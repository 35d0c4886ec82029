import type { ConsentFunction, ConsentRequest } from '@mustard-sandbox/agent-tool';

/** What a tool of the host answers. */
export interface McpToolAnswer {
  /** For the model. */
  text: string;
  /** The answer as an object. */
  structured: Record<string, unknown>;
  /** Whether the call went wrong. */
  isError: boolean;
}

/** A tool of the host's own, beside `execute_sandbox_script`. */
export interface McpTool {
  /** Unique among the tools of the server. */
  name: string;
  /** For a person. */
  title: string;
  /** For the model. */
  description: string;
  /** As JSON Schema: an object. */
  inputSchema: Record<string, unknown>;
  /** What `structured` of its answers is like, as JSON Schema. */
  outputSchema?: Record<string, unknown>;
  /** Whether it changes nothing. */
  readOnly: boolean;
  /** Whether it may delete or overwrite something. Absent: unless it is `readOnly`. */
  isDestructive?: boolean;
  /** What a person would be asked about this call now; `undefined` when nobody would be. Absent: nobody ever is. */
  getConsentRequest?: (args: Record<string, unknown>) => Promise<ConsentRequest | undefined>;
  /** What it throws is told as an answer that went wrong. */
  call: (
    args: Record<string, unknown>,
    context: { signal: AbortSignal; consent?: ConsentFunction },
  ) => Promise<McpToolAnswer>;
}
