import type { Server } from '@modelcontextprotocol/server';
import type { Folders } from './folders.ts';
import type { ClientLog } from './log.ts';
import type { McpOptions } from './options.ts';
import type { ScriptTasks } from './script-tasks.ts';
import type { Tickets } from './tickets.ts';
import type { Workspaces } from './workspace.ts';

/** A question that a client must answer with its next request. */
export interface Question {
  key: string;
}

/** Parts of the server that all requests of one user share, in every revision of the protocol. */
export interface Host {
  /** Whether the client is on this machine. Then folders that it names (roots) are folders here. */
  isLocal: boolean;
  options: McpOptions;
  log: ClientLog;
  workspaces: Workspaces;
  /** Questions that were asked as the result of a request, since 2026-07-28. */
  questions: Tickets<Question>;
  /** Scripts that take long, for clients that accept tasks. */
  tasks: ScriptTasks;
}

/** A client, with the parts that its requests share. */
export interface Connection extends Host {
  server: Server;
  folders: Folders;
}
