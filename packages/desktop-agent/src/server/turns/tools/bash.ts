// bash, and reading and writing files, in the workspace of a chat: their cards, their consent.
import { randomUUID } from 'node:crypto';
import type { ConsentAnswer, ConsentFileAccess } from '@mustard-sandbox/agent-tool';
import {
  bashPrompt,
  createBashTools,
  type BashResult,
  type BashTools,
  type Reached,
  type Workspace,
} from '@mustard-sandbox/bash-tools';
import { aiSdkBashTools } from '@mustard-sandbox/bash-tools/ai-sdk';
import type { ToolSet } from 'ai';
import { inWorker } from '../../worker/index.ts';
import type { Calls } from '../calls.ts';
import type { OpenedWorkspace } from '../../workspace/bash-workspaces.ts';
import { questionTimeoutMs } from '../../consents/questions.ts';
import type { Turn } from '../turn.ts';
import { wordsOf } from '../words.ts';
import { ToolLine } from './tool-part.ts';

/** What the card of a command shows, as `CommandRun` of the cards has it. */
interface CommandRun {
  command: string;
  exitCode?: number;
  stopped?: true;
  stdout: { text: string };
  stderr: { text: string };
  durationMs?: number;
  reached?: Reached;
}

/** Beside read_file and write_file, which are for the app, nobody could tell readFile and writeFile from them. */
const names = { read: 'read_workspace_file', write: 'write_workspace_file' } as const;

export interface ChatBash {
  tools: ToolSet;
  prompt: string;
}

/**
 * @param requested the command that the person wants word by word: the first call runs this one, whatever the model
 *   made of it
 */
export function bashTools(
  turn: Turn,
  { workspace, domains }: Pick<OpenedWorkspace, 'workspace' | 'domains'>,
  calls: Calls,
  requested: string | undefined,
): ChatBash {
  const { live, signal, chat, services } = turn;
  const tools = createBashTools({
    workspace,
    consentTimeoutMs: questionTimeoutMs,
    consent: async ({ script: command, file }, { signal }) => {
      const { allowances } = services;
      if (file !== undefined) return await mayWrite(turn, workspace, file, signal);
      if (allowances.allows(chat.id, { command, domains })) return 'allow-once';
      const answer = await services.questions.ask({ kind: 'command', chatId: chat.id, command, domains }, signal);
      if (answer === 'allow-always') allowances.allow(chat.id, { command, domains });
      return answer === 'allow-once' || answer === 'allow-always' ? answer : 'deny';
    },
  });
  const adapted = aiSdkBashTools(tools);
  let pinned = requested;
  const bash = async (
    input: { command: string; timeoutMs?: number | undefined },
    callId: string,
  ): Promise<BashResult> => {
    await calls.seen(callId, signal);
    const command = pinned ?? input.command;
    pinned = undefined;
    return await runCommand(turn, tools, { command, timeoutMs: input.timeoutMs, domains });
  };
  const line = async <T>(callId: string, name: string, title: string, work: () => Promise<T>): Promise<T> => {
    await calls.seen(callId, signal);
    const shown = new ToolLine(live, name, title);
    try {
      const result = await work();
      shown.change({ state: 'done' });
      return result;
    } catch (error) {
      shown.fail(wordsOf(error), signal);
      throw error;
    }
  };
  return {
    prompt: bashPrompt(workspace.folder, names, { project: workspace.project, domains }),
    tools: {
      bash: {
        ...adapted.bash,
        execute: async (input: Parameters<typeof bash>[0], { toolCallId }: { toolCallId: string }) =>
          await bash(input, toolCallId),
      },
      [names.read]: {
        ...adapted.readFile,
        execute: async (input: { path: string }, { toolCallId }: { toolCallId: string }) =>
          await line(toolCallId, names.read, `Read ${input.path} of the workspace`, () =>
            tools.readFile.execute(input, { signal }),
          ),
      },
      [names.write]: {
        ...adapted.writeFile,
        execute: async (input: { path: string; content: string }, { toolCallId }: { toolCallId: string }) =>
          await line(toolCallId, names.write, `Write ${input.path} of the workspace`, () =>
            tools.writeFile.execute(input, { signal }),
          ),
      },
    },
  };
}

/** Only what runs by itself is asked about: all else in a workspace is the model's to write. */
async function mayWrite(
  { chat, services }: Turn,
  workspace: Workspace,
  { path, content = '' }: ConsentFileAccess,
  signal: AbortSignal,
): Promise<ConsentAnswer> {
  const before = await workspace.readFile(path).then(
    (text) => Buffer.from(text),
    () => null,
  );
  const sides = { path, before, after: Buffer.from(content) };
  const files = [await inWorker('reviewedDiff', [workspace.folder, sides], { signal })];
  const title = `Write ${path} of the workspace`;
  const asked = { kind: 'write', chatId: chat.id, title, files, into: 'workspace' } as const;
  return (await services.questions.ask(asked, signal)) === 'allow-once' ? 'allow-once' : 'deny';
}

async function runCommand(
  { live, signal }: Turn,
  tools: BashTools,
  { command, timeoutMs, domains }: { command: string; timeoutMs: number | undefined; domains: readonly string[] },
): Promise<BashResult> {
  const runId = randomUUID();
  const begun: CommandRun = { command, stdout: { text: '' }, stderr: { text: '' } };
  const index = live.add({ type: 'bash', runId, run: begun });
  // What it has printed stays when it is stopped.
  let shown = begun;
  const show = (change: Partial<CommandRun>): void => {
    shown = { ...shown, ...change };
    live.set(index, { type: 'bash', runId, run: shown });
  };
  const onOutput = ({ stdout, stderr }: Record<'stdout' | 'stderr', string>): void =>
    show({ stdout: { text: stdout }, stderr: { text: stderr } });
  try {
    const input = { command, ...(timeoutMs !== undefined && { timeoutMs }) };
    const result = await tools.bash.execute(input, { signal, onOutput, domains });
    const { stdout, stderr, exitCode, durationMs, reached } = result;
    const network = reached === undefined || reached.hosts.length === 0 ? {} : { reached };
    show({ stdout: { text: stdout }, stderr: { text: stderr }, exitCode, durationMs, ...network });
    return result;
  } catch (error) {
    show(signal.aborted ? { stopped: true } : { stderr: { text: wordsOf(error) }, exitCode: 1 });
    throw error;
  }
}
