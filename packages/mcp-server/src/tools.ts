import { SandboxError } from '@mustard-sandbox/client';
import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import {
  inputJsonSchema,
  settingsSchema,
  type ExecuteSandboxScriptArgs,
  type ExecuteSandboxScriptResult,
} from '@mustard-sandbox/agent-tool';
import { describeTool, failedCall } from '@mustard-sandbox/agent-tool/host';
import { appUri, recordMeta, showsApps } from './app.ts';
import { capabilitiesOf } from './capabilities.ts';
import { chartImages } from './chart-images.ts';
import type { Connection } from './connection.ts';
import { icons } from './icon.ts';
import { whyDisabled } from './instructions.ts';
import { outputJsonSchema, toCallToolResult } from './output-schema.ts';
import type { McpTool } from './extra-tool.ts';
import { callExtraTool, describeExtraTool } from './extra-tools.ts';
import { askBefore, consentThrough } from './consent.ts';
import { mayOpenFolder, openFolderTool } from './open-folder.ts';
import { Progress } from './progress.ts';
import type { Work } from './script-tasks.ts';
import { takesTasks } from './tasks.ts';

const toolName = 'execute_sandbox_script';

/** The tool for scripts, unless no script can run, and the other tools. */
export function listTools(connection: Connection, context: ServerContext): Tool[] {
  return [...scriptTools(connection, context), ...extraTools(connection, context).map(describeExtraTool)];
}

/** The tools of the host, and the tool that opens a folder. */
function extraTools(connection: Connection, context: ServerContext): McpTool[] {
  const { tools } = connection.options;
  return mayOpenFolder(connection, context) ? [openFolderTool(connection), ...tools] : tools;
}

function scriptTools({ options, server, folders }: Connection, context: ServerContext): Tool[] {
  if (whyDisabled(options.consent) !== undefined) return [];
  const capabilities = capabilitiesOf(server, context);
  const description = describeTool({
    appPath: folders.mayHaveFolder(context) ? '.' : undefined,
    hostFunctions: {},
    fixedSettings: settingsSchema.parse({}),
    limits: options.limits,
    outputs: options.outputs,
  });
  return [
    {
      name: toolName,
      title: 'Run a script over files',
      description,
      inputSchema: inputJsonSchema as Tool['inputSchema'],
      outputSchema: outputJsonSchema,
      annotations: {
        title: 'Run a script over files',
        readOnlyHint: options.outputs === undefined,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      icons,
      ...(showsApps(capabilities) && { _meta: { ui: { resourceUri: appUri } } }),
    },
  ];
}

/**
 * Runs a script. It asks the client for its roots and the user for consent if that is needed, and reports how long the
 * call takes. A mistake of a script or a person and wrong arguments are a result with `isError`, because a model can
 * mend them.
 *
 * @throws {ProtocolError} invalid params: an unknown tool
 */
export async function callTool(
  connection: Connection,
  { name, arguments: args = {} }: CallToolRequest['params'],
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const extras = extraTools(connection, context);
  const extra = extras.find((tool) => tool.name === name);
  if (extra !== undefined) return await callExtraTool(extra, connection, args, context);
  if (name !== toolName) {
    const others = extras.map((tool) => `, ${tool.name}`).join('');
    throw unknownTool(`There is no tool ${JSON.stringify(name)}, only ${toolName}${others}.`);
  }
  const why = whyDisabled(connection.options.consent);
  if (why !== undefined) throw unknownTool(`${toolName} is not available. ${why}`);
  const isTask = takesTasks(connection.server, context);
  const work: Work<CallToolResult | InputRequiredResult> = async (signal, begin) => {
    using progress = new Progress(context, !isTask);
    const call = { args, progress, signal, begin };
    const answer = await connection.log.during(context, () => answerCall(connection, call, context));
    if (isInputRequiredResult(answer)) return answer;
    const hasPage = showsApps(capabilitiesOf(connection.server, context));
    const outputs = answer.status === 'denied' ? [] : answer.outputs;
    const images = await connection.log.during(
      context,
      async () => await chartImages(outputs, (problem) => connection.log.note('info', problem)),
    );
    return { ...toCallToolResult(answer, images), ...(hasPage && recordMeta(answer.record)) };
  };
  const { signal } = context.mcpReq;
  return isTask ? await connection.tasks.answer(work, signal) : await work(signal, () => {});
}

interface Call {
  args: Record<string, unknown>;
  progress: Progress;
  signal: AbortSignal;
  /** Called when nobody has to be asked any more. */
  begin: () => void;
}

async function answerCall(
  connection: Connection,
  { args, progress, signal, begin }: Call,
  context: ServerContext,
): Promise<ExecuteSandboxScriptResult | InputRequiredResult> {
  const { folders, workspaces, log } = connection;
  try {
    const place = await folders.forRequest(context);
    if (isInputRequiredResult(place)) return place;
    const { tool, files, checkFiles } = await workspaces.at(place.folder);
    const asked = await askBefore(
      (args) => tool.getConsentRequest(args as ExecuteSandboxScriptArgs),
      args,
      connection,
      context,
    );
    if (asked !== undefined && isInputRequiredResult(asked)) return asked;
    const consent = asked ?? consentThrough(connection, context, progress);
    begin();
    const result = await tool.execute(args as ExecuteSandboxScriptArgs, {
      signal,
      ...(consent !== undefined && { consent }),
    });
    if (result.status !== 'denied') files.keep(result.outputs);
    // The answer does not wait for this, which reads the folder again.
    void checkFiles();
    return result.status === 'denied' && result.reason === 'no_consent_function'
      ? { ...result, text: cannotAsk }
      : result;
  } catch (error) {
    if (error instanceof SandboxError) return failedCall(args, error, { events: log.events, hasRoot: true });
    throw error;
  }
}

const cannotAsk = `Not allowed: this server asks the user before each script, and this client has no way to ask (elicitation). Nothing is wrong with the script. Do not try again: tell the user to start the server with --consent always, which suits clients that ask before they call a tool.`;

function unknownTool(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
