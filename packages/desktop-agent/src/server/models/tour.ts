// A first look without any model: the answers are written in advance, and the calls in them are real.
import { readFile } from 'node:fs/promises';
import type { LanguageModel } from 'ai';
import { tourLogName } from './tour-log.ts';

type LanguageModelV3 = Extract<LanguageModel, { specificationVersion: 'v3' }>;
type CallOptions = Parameters<LanguageModelV3['doStream']>[0];
type Stream = Awaited<ReturnType<LanguageModelV3['doStream']>>['stream'];
type StreamPart = Stream extends ReadableStream<infer Part> ? Part : never;

const recipes = new URL('../../tour/', import.meta.url);

/** One turn of the tour: words, and a call of the script tool after them. */
interface Step {
  text: string;
  call?: { script: string; description: string };
}

const usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

/** How long each word takes, in ms, so that one can read along. */
const wordMs = 12;

const howToConnect = `**To go on with a real model** open Settings → Models. Ollama and LM Studio are found when they run on this machine. Any other OpenAI-compatible server needs its address, and a provider in the cloud needs a key.`;

const askSteps = `This is the mode **Ask**: a model sees the files of the app and what you attach, and has no tools. I am the tour, which is no model, so I cannot answer you here.

Switch to **Agent** and send any message: then I show a script at work on a log.

${howToConnect}`;

const buildSteps = `This is the mode **Build**: a model proposes changes, and nothing is written before you approve. Here is one, so that you see how it looks. It is real: approve it and there is a file and a commit; reject it and nothing has happened.

<agent-write path="TOUR.md" description="A note about the tour">
# The tour was here

mustard-agent wrote this file when its proposal was approved. Delete it, or undo its version.
</agent-write>
<agent-chat-summary>Take the tour</agent-chat-summary>`;

export class TourModel implements LanguageModelV3 {
  readonly specificationVersion = 'v3';
  readonly provider = 'tour';
  readonly modelId = 'tour';
  readonly supportedUrls = {};

  doGenerate(): never {
    throw new Error('The tour only streams.');
  }

  async doStream({ prompt, tools, abortSignal }: CallOptions): Promise<{
    stream: Stream;
  }> {
    const system = prompt.find(({ role }) => role === 'system');
    const isBuild = typeof system?.content === 'string' && system.content.includes('<agent-write path=');
    const hasScripts = tools?.some(({ name }) => name === 'execute_sandbox_script') === true;
    const hasTools = (tools?.length ?? 0) > 0;
    const step = isBuild
      ? { text: buildSteps }
      : hasTools
        ? await agentStep(outputsOf(prompt), hasScripts)
        : { text: askSteps };
    return { stream: ReadableStream.from(partsOf(step, abortSignal)) };
  }
}

/** What the calls of this turn returned, in order. */
function outputsOf(prompt: CallOptions['prompt']): { text: string; isError: boolean }[] {
  const asked = prompt.findLastIndex(({ role }) => role === 'user');
  return prompt.slice(asked + 1).flatMap((message) =>
    message.role !== 'tool'
      ? []
      : message.content.flatMap((part) => {
          if (part.type !== 'tool-result') return [];
          const { output } = part;
          const text = 'value' in output && typeof output.value === 'string' ? output.value : '';
          return [{ text, isError: output.type.startsWith('error') }];
        }),
  );
}

async function agentStep(outputs: readonly { text: string; isError: boolean }[], hasScripts: boolean): Promise<Step> {
  if (!hasScripts) {
    return {
      text: `Scripts are turned off (Settings → Scripts), and the tour is about them.\n\n${howToConnect}`,
    };
  }
  const [first, second] = outputs;
  if (first === undefined) {
    return {
      text: `Welcome. I am the tour: no model, but what I do is real.\n\nI have attached \`${tourLogName}\`, a log with more text than most models can read. So nobody reads it: a model writes a small **script**, and the sandbox runs it over the file. You are asked first, and you see the whole script. This one counts the errors by their code.\n\n`,
      call: { script: await recipe('top-errors.js'), description: 'Count the most frequent error codes' },
    };
  }
  if (first.text.startsWith('Not allowed')) {
    return {
      text: `You said no, so nothing ran: that is what the question is for. A model is told the same, and goes on without it. Send another message to see the script run.\n\n${howToConnect}`,
    };
  }
  if (first.isError) return { text: `The script did not get to its end. Its card says why.\n\n${howToConnect}` };
  if (second === undefined) {
    return {
      text: `${inWords(first.text)}\n\nThe card above has the script, its output and what it cost; open it. Only that output went back to me. Next, when the errors happened:\n\n`,
      call: {
        script: `const containing = ' ERROR ';\n${withoutInputs(await recipe('timeline.js'))}`,
        description: 'Count the errors by minute',
      },
    };
  }
  return {
    text: `The second card shows the same log by time; open it and choose how to see it.\n\nYou can drop a file of any size into a chat of yours: it stays on this machine, and scripts can only read it. They have no network, and nothing of your folder but what you see in the question.\n\n${howToConnect}`,
  };
}

/** The first script's output in a sentence. It is not validated further, because the tour's own script made it. */
function inWords(output: string): string {
  try {
    const rows = JSON.parse(output) as { code: string; count: number }[];
    const [most] = rows;
    if (most === undefined) return 'There are no errors in this log.';
    const total = rows.reduce((sum, { count }) => sum + count, 0);
    return `The most frequent error is **${most.code}**, ${most.count.toLocaleString('en')} times; the first ${rows.length} codes are ${total.toLocaleString('en')} lines together.`;
  } catch {
    return 'There is its output.';
  }
}

async function recipe(name: string): Promise<string> {
  const text = await readFile(new URL(name, recipes), 'utf8');
  // A person needs only the first line of the comment at the start.
  return text.replace(/^\/\*\*\n \* (.*)\n[^]*?\*\/\n/, '// $1\n');
}

/** A recipe takes its inputs from global variables; here they stand in front of it. */
function withoutInputs(script: string): string {
  return script.replace(
    /^const \{.*\} = globalThis;\n/m,
    "const file = list_files('attachments:')[0];\nconst rows = 60;\n",
  );
}

async function* partsOf({ text, call }: Step, signal?: AbortSignal): AsyncGenerator<StreamPart> {
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'text-start', id: 'tour' };
  for (const word of text.split(/(?<=\s)/)) {
    if (signal?.aborted === true) return;
    yield { type: 'text-delta', id: 'tour', delta: word };
    await new Promise((resolve) => setTimeout(resolve, wordMs));
  }
  yield { type: 'text-end', id: 'tour' };
  if (call !== undefined) {
    const input = JSON.stringify(call);
    yield { type: 'tool-call', toolCallId: crypto.randomUUID(), toolName: 'execute_sandbox_script', input };
  }
  const unified = call === undefined ? 'stop' : 'tool-calls';
  yield { type: 'finish', usage, finishReason: { unified, raw: unified } };
}
