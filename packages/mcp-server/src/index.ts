import type { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createServer } from './server.ts';
import type { Question } from './connection.ts';
import { questionSeconds } from './consent.ts';
import { ClientLog, listenerOf } from './log.ts';
import { parseMcpOptions, type ServeMcpOptions } from './options.ts';
import { ScriptTasks } from './script-tasks.ts';
import { CheckedTransport } from './transport.ts';
import { Tickets } from './tickets.ts';
import { Workspaces } from './workspace.ts';

export type { McpTool, McpToolAnswer } from './extra-tool.ts';
export type { Recipe } from './recipe.ts';
export type { ServeMcpOptions } from './options.ts';

/**
 * Serves `execute_sandbox_script` and its attachments over the Model Context Protocol, on stdin and stdout of this
 * process, until the client closes them or `signal` is aborted. It speaks the revisions from 2024-11-05 to 2026-07-28,
 * whichever the client begins with. Nothing else may write to stdout meanwhile.
 *
 * @returns when the connection has ended, and every sidecar with it
 * @throws {SandboxError} `invalid_request` naming every wrong option
 */
export async function serveMcp(options: ServeMcpOptions = {}): Promise<void> {
  const parsed = parseMcpOptions(options);
  const log = new ClientLog(parsed.onProblem);
  await using workspaces = new Workspaces({ options: parsed, log });
  const transport = new CheckedTransport((message) => parsed.onProblem?.(message));
  const questions = new Tickets<Question>(questionSeconds);
  const tasks = new ScriptTasks();
  const connect = (): Server => {
    const server = createServer({ options: parsed, log, workspaces, questions, tasks, isLocal: true });
    log.connect(listenerOf(server));
    return server;
  };
  serveStdio(connect, {
    transport,
    onerror: ({ message }) => parsed.onProblem?.(message),
  });
  const end = (): void => void transport.close();
  parsed.signal?.addEventListener('abort', end, { once: true });
  if (parsed.signal?.aborted === true) end();
  await transport.ended;
  parsed.signal?.removeEventListener('abort', end);
}
