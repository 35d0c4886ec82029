import {
  createRequestStateCodec,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { CodeModeTool } from '@mustard-sandbox/code-mode';
import * as z from 'zod';
import { CheckedTransport } from '../transport.ts';
import { outputSchema, refusal } from './answers.ts';
import { parseGatewayOptions, type GatewayOptions, type ServeGatewayOptions } from './options.ts';
import { Recovery } from './recovery.ts';
import { Scripts, type Handle } from './scripts.ts';
import { takesTasks, tasksExtension } from '../tasks.ts';
import { Tasks } from './tasks.ts';

export type { ServeGatewayOptions } from './options.ts';

/** A person may take days, and the run waits as long. */
const handleSeconds = 30 * 24 * 3_600;

const resumeSchema = z.strictObject({ run: z.string().min(1).max(128).describe('As run_script gave it.') });

/**
 * Serves `run_script`, whose scripts call the tools of many MCP servers, over the Model Context Protocol on stdin and stdout
 * of this process, and `resume_script` for the runs that waited. Goes on with runs that were decided on elsewhere, and with
 * those that an earlier server left. Until the client closes the streams or `signal` is aborted.
 *
 * @throws {SandboxError} `invalid_request` naming every wrong option
 */
export async function serveGateway(options: ServeGatewayOptions): Promise<void> {
  const parsed = parseGatewayOptions(options);
  const { tool, signal, onProblem = () => {} } = parsed;
  const transport = new CheckedTransport(onProblem);
  using _recovery = new Recovery(tool.runs, onProblem);
  serveStdio(() => createGateway(parsed), { transport, onerror: ({ message }) => onProblem(message) });
  const end = (): void => void transport.close();
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted === true) end();
  await transport.ended;
  signal?.removeEventListener('abort', end);
}

function createGateway({ tool, key, decideWith, version }: GatewayOptions): Server {
  const handles = createRequestStateCodec<Handle>({ key, ttlSeconds: handleSeconds });
  const server = new Server(
    { name: 'mustard-sandbox', title: 'mustard-sandbox', version },
    {
      capabilities: { tools: {}, extensions: { [tasksExtension]: {} } },
      instructions,
      requestState: { verify: (state, context) => handles.verify(state, context) },
    },
  );
  const scripts = new Scripts({ tool, server, handles, decideWith });
  const tasks = new Tasks({ tool, server, decideWith });
  server.setRequestHandler('tools/list', () => ({ tools: toolsOf(tool) }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }, context) => {
    if (name !== 'run_script' && name !== 'resume_script') {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${JSON.stringify(name)}.`);
    }
    try {
      if (name === 'resume_script') return await scripts.resume(resumeSchema.parse(args).run, context);
      const { script } = tool.inputSchema.parse(args);
      return takesTasks(server, context) ? await tasks.run(script, context) : await scripts.run(script, context);
    } catch (error) {
      return refusal(error instanceof z.ZodError ? problemsOf(error) : (error as Error).message);
    }
  });
  return server;
}

const instructions =
  'run_script runs a script that calls the tools of several servers as functions: one call for work of many steps.';

function toolsOf({ description, inputSchema }: CodeModeTool): Tool[] {
  return [
    {
      name: 'run_script',
      title: 'Run a script that calls tools',
      description,
      inputSchema: jsonOf(inputSchema),
      outputSchema,
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    },
    {
      name: 'resume_script',
      title: 'Get the result of a script that waited',
      description: 'Gives the result of a run that waited, or what it still waits for. Never runs a script again.',
      inputSchema: jsonOf(resumeSchema),
      outputSchema,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    },
  ];
}

function jsonOf(schema: z.ZodType): Tool['inputSchema'] {
  return z.toJSONSchema(schema) as Tool['inputSchema'];
}

function problemsOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => [...path.map(String), message].join(': ')).join('; ');
}
