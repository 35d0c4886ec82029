// The tool run_script: a script that calls the tools of the person's MCP servers.
import { randomUUID } from 'node:crypto';
import type { CodeModeArgs, CodeModeResult } from '@mustard-sandbox/code-mode';
import type { ToolSet } from 'ai';
import { questionTimeoutMs } from '../../consents/questions.ts';
import type { Calls } from '../calls.ts';
import { Closing, type Turn } from '../turn.ts';
import { wordsOf } from '../words.ts';

const mostDetail = 4_000;

/** The tool for the model. There is none when scripts are off or no server offers a tool. */
export async function toolScripts(turn: Turn, calls: Calls): Promise<ToolSet> {
  const { toolbox, onError } = turn.services;
  if (!turn.settings.scripts.enabled) return {};
  const offered = await toolbox.offered(turn.signal).catch((error: unknown) => {
    turn.signal.throwIfAborted();
    // The answer continues without the tool, and the settings show why.
    onError('the tools of MCP servers could not be opened', error);
    return undefined;
  });
  if (offered === undefined) return {};
  return {
    run_script: {
      ...offered,
      execute: async (args: CodeModeArgs, { toolCallId }: { toolCallId: string }) =>
        await run(turn, calls, args, toolCallId),
      toModelOutput: ({ output }: { output: CodeModeResult }) => ({
        type: output.status === 'failed' ? ('error-text' as const) : ('text' as const),
        value: output.text,
      }),
    },
  };
}

async function run(turn: Turn, calls: Calls, { script }: CodeModeArgs, callId: string): Promise<CodeModeResult> {
  const { live, chat, signal, services } = turn;
  await calls.seen(callId, signal);
  const runId = randomUUID();
  const index = live.add({ type: 'tools', runId });
  /** There is no run, and so no card. */
  const failed = (detail: string): void =>
    live.set(index, {
      type: 'tool',
      callId: runId,
      name: 'run_script',
      title: 'Run a script',
      state: 'failed',
      detail,
    });
  try {
    const place = { runId, chatId: chat.id, messageId: live.id, signal };
    const result = await services.toolRuns.run(script, place, questionTimeoutMs);
    if (result.status === 'failed' && result.problem?.code === 'check_failed') failed(result.text.slice(0, mostDetail));
    return result;
  } catch (error) {
    // When the program ends, the run goes on waiting. A person who stops the answer also wants to stop the script.
    if (signal.aborted && !(signal.reason instanceof Closing)) await services.toolRuns.cancel(runId).catch(() => {});
    if (!signal.aborted) failed(wordsOf(error));
    throw error;
  }
}
