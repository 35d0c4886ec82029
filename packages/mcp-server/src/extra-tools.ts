import {
  isInputRequiredResult,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { askBefore, consentThrough } from './consent.ts';
import type { Connection } from './connection.ts';
import type { McpTool } from './extra-tool.ts';
import { icons } from './icon.ts';
import { Progress } from './progress.ts';

/** A tool of the host in the form in which the client lists it. */
export function describeExtraTool(tool: McpTool): Tool {
  const { name, title, description, inputSchema, outputSchema, readOnly, isDestructive = !readOnly } = tool;
  return {
    ...{ name, title, description, icons },
    inputSchema: inputSchema as Tool['inputSchema'],
    ...(outputSchema !== undefined && { outputSchema }),
    annotations: { title, readOnlyHint: readOnly, destructiveHint: isDestructive, openWorldHint: false },
  };
}

/** Calls a tool of the host, after the user's consent if that is needed. */
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
