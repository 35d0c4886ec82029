import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { capabilitiesOf } from './capabilities.ts';

/** https://modelcontextprotocol.github.io/ext-tasks/specification/2026-07-28/tasks.html */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** A call that ends within this time, in ms, is answered at once, so the client needs no second request. */
export const taskAfterMs = 1_000;
/** How often a client should ask for the state of a task, in ms. */
export const pollIntervalMs = 1_000;

/** A task as a client sees it. */
export type Task = {
  taskId: string;
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: number | null;
  pollIntervalMs: number;
};

export const taskSchema = z.object({ taskId: z.string().min(1).max(128) });

/** Whether the client of this request accepts a task instead of a result. */
export function takesTasks(server: Server, context: ServerContext): boolean {
  // Tasks of 2025-11-25 are another protocol, and its clients name no extension.
  return (
    context.mcpReq.envelope !== undefined && capabilitiesOf(server, context)?.extensions?.[tasksExtension] !== undefined
  );
}

/** @throws {MissingRequiredClientCapabilityError} for a client that did not name the extension in this request */
export function requireTasks(server: Server, context: ServerContext): void {
  if (takesTasks(server, context)) return;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } });
}

export function noTask(taskId: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no task ${JSON.stringify(taskId)}.`);
}
