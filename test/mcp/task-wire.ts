import { createInterface } from 'node:readline';
import type { JsonRpcResponse } from '@modelcontextprotocol/ext-tasks/client';
import type { JsonValue } from '@modelcontextprotocol/ext-tasks/core';
import { isDetailedTaskV2 } from '@modelcontextprotocol/ext-tasks/core/v2';
import { expect, onTestFinished, vi } from 'vitest';
import { startHere, type OnEnd } from './in-process.ts';

export interface Wire {
  /** Sends a request of 2026-07-28. */
  ask: (method: string, params: object, capabilities?: object) => Promise<JsonRpcResponse>;
  end: () => Promise<void>;
}

export const forms = { elicitation: { form: {} } };
export const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const both = { ...forms, ...tasks };

/** A server and the wire to it. The official client of the extension needs no more of a client. */
export async function open(args: string[]): Promise<Wire> {
  const waiting = new Map<number, (response: JsonRpcResponse) => void>();
  const ends: Parameters<OnEnd>[0][] = [];
  let next = 1;
  return await new Promise((resolve, reject) => {
    const greet: Parameters<typeof startHere>[2] = async ({ stdin, stdout }) => {
      createInterface({ input: stdout }).on('line', (line) => {
        const { id, result, error } = JSON.parse(line) as { id: number; result?: JsonValue; error?: never };
        waiting.get(id)?.(error === undefined ? { kind: 'result', result: result ?? null } : { kind: 'error', error });
      });
      const ask: Wire['ask'] = async (method, params, capabilities = both) => {
        const _meta = {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'tasks', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': capabilities,
        };
        const id = next++;
        const answer = new Promise<JsonRpcResponse>((settle) => waiting.set(id, settle));
        stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })}\n`);
        return await answer;
      };
      const end = async (): Promise<void> => {
        for (const each of ends.splice(0)) await each();
      };
      onTestFinished(end);
      await ask('server/discover', {});
      resolve({ ask, end });
    };
    startHere(args, (end) => void ends.unshift(end), greet).catch(reject);
  });
}

export const resultOf = (response: JsonRpcResponse): Record<string, JsonValue> => {
  expect(response).toMatchObject({ kind: 'result' });
  return (response as { result: Record<string, JsonValue> }).result;
};
export const taskIdOf = (created: Record<string, JsonValue>): string => created['taskId'] as string;

export const patience = { timeout: 30_000, interval: 50 };

/** How the task stands, once it stands so. */
export async function until(wire: Wire, taskId: string, status: string): Promise<Record<string, JsonValue>> {
  return await vi.waitFor(async () => {
    const task = resultOf(await wire.ask('tasks/get', { taskId }));
    expect(task).toMatchObject({ resultType: 'complete', taskId, status });
    expect(isDetailedTaskV2(task)).toBe(true);
    return task;
  }, patience);
}
