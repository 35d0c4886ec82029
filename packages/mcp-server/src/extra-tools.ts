import type { ConsentFunction, ConsentRequest } from '@mustard-sandbox/agent-tool';
import {
  isInputRequiredResult,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { askBefore, consentThrough } from './consent.ts';
import type { Connection } from './connection.ts';
import { Progress } from './progress.ts';

/** What a tool of the host answers. */
export interface McpToolAnswer {
  /** For the model. */
  text: string;
  /** The same as an object. */
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
  /** Whether it changes nothing. */
  readOnly: boolean;
  /** What a person would be asked about this call now; `undefined` when nobody would be. Absent: nobody ever is. */
  getConsentRequest?: (args: Record<string, unknown>) => Promise<ConsentRequest | undefined>;
  /** What it throws is told as an answer that went wrong. */
  call: (
    args: Record<string, unknown>,
    context: { signal: AbortSignal; consent?: ConsentFunction },
  ) => Promise<McpToolAnswer>;
}

/** Such a tool as the client lists it. */
export function describeExtraTool({ name, title, description, inputSchema, readOnly }: McpTool): Tool {
  return {
    name,
    title,
    description,
    inputSchema: inputSchema as Tool['inputSchema'],
    annotations: { title, readOnlyHint: readOnly, destructiveHint: !readOnly, openWorldHint: false },
  };
}

/** Calls such a tool, with the user's consent where that is needed. */
export async function callExtraTool(
  tool: McpTool,
  connection: Connection,
  args: Record<string, unknown>,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  using progress = new Progress(context);
  try {
    const asked = await askBefore(tool.getConsentRequest ?? nobodyIsAsked, args, connection, context);
    if (asked !== undefined && isInputRequiredResult(asked)) return asked;
    const consent = asked ?? consentThrough(connection, context, progress);
    const { text, structured, isError } = await tool.call(args, {
      signal: context.mcpReq.signal,
      ...(consent !== undefined && { consent }),
    });
    return { content: [{ type: 'text', text }], structuredContent: structured, isError };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { content: [{ type: 'text', text }], isError: true };
  }
}

const nobodyIsAsked = async (): Promise<undefined> => undefined;
