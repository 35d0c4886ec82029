// One request to a model, with all steps of its tools, as a stream of words.
import { stepCountIs, streamText, type LanguageModel, type ModelMessage, type ToolChoice, type ToolSet } from 'ai';
import { AgentError } from '../../shared/contract/index.ts';
import type { CallOptions } from '../models/call-options.ts';
import { CutStreamError } from '../models/failure.ts';
import type { ToldUsage } from '../models/usage.ts';
import type { Calls } from './calls.ts';

// The SDK prints warnings about models that it does not know.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** What one answer may hold in all: about 250,000 tokens. An endless stream ends here. */
const maxAnswerChars = 1_000_000;
/** The most characters in the arguments of one call. No file that a tool writes is longer. */
const maxArgumentChars = 2_000_000;

export interface ModelStreamOptions {
  model: LanguageModel;
  system: string;
  messages: readonly ModelMessage[];
  tools?: ToolSet;
  /** The tool choice of the first step. */
  toolChoice?: ToolChoice<ToolSet>;
  /** How often the model may be asked before it has to have answered. */
  maxSteps: number;
  /** What the answer may hold in all. */
  maxChars?: number;
  /** What the person has set of the model. */
  callOptions?: CallOptions;
  calls?: Calls;
  signal: AbortSignal;
  onText: (text: string) => void;
  onReasoning: (text: string) => void;
  /** A call that no tool took: of a name that is not there, or with arguments that do not fit. */
  onBadCall?: (name: string, problem: unknown) => void;
  /** After each request. */
  onUsage?: (told: ToldUsage, messages: readonly ModelMessage[]) => void;
  /** What is complete so far, to go on from after a failure. */
  onMessages?: (messages: readonly ModelMessage[]) => void;
}

export interface ModelAnswer {
  /** What the model said and what its tools gave, for the next turn. */
  messages: ModelMessage[];
  /** All text of all steps. */
  text: string;
  /** `length`: it was cut by the limit of the model. `steps`: it wanted to go on with tools. */
  ended: 'stop' | 'length' | 'steps';
}

/**
 * Streams an answer. The SDK tries again only where nothing had arrived.
 *
 * @throws {AgentError} `limit_exceeded` for an endless answer
 * @throws {CutStreamError} when the stream ended in the middle
 * @throws what the provider throws, and the reason of the signal
 */
export async function streamModel(options: ModelStreamOptions): Promise<ModelAnswer> {
  const { model, system, messages, tools = {}, maxSteps, signal, onMessages, onUsage } = options;
  const stop = new AbortController();
  const finished: ModelMessage[] = [];
  const result = streamText({
    model,
    system,
    messages: [...messages],
    // The SDK looks tools up by the name that the model gave: without this, `constructor` is one.
    tools: Object.assign(Object.create(null) as ToolSet, tools),
    prepareStep: ({ stepNumber }) =>
      stepNumber === 0 && options.toolChoice !== undefined ? { toolChoice: options.toolChoice } : {},
    stopWhen: stepCountIs(maxSteps),
    ...options.callOptions,
    abortSignal: AbortSignal.any([signal, stop.signal]),
    // Errors come in the stream. By itself the SDK prints them, with the request.
    onError: () => {},
    onStepFinish: ({ response, usage }) => {
      // `response` has the messages of all steps so far.
      finished.splice(0, finished.length, ...response.messages);
      onMessages?.(finished);
      const { inputTokens, outputTokens, inputTokenDetails } = usage;
      onUsage?.({ inputTokens, outputTokens, cachedTokens: inputTokenDetails.cacheReadTokens }, finished);
    },
  });
  const reader = new Reader(options);
  try {
    for await (const part of result.fullStream) reader.take(part);
    signal.throwIfAborted();
  } catch (error) {
    // What it had said is kept; a call that has no result is not.
    if (reader.stepText !== '') onMessages?.([...finished, { role: 'assistant', content: reader.stepText }]);
    throw error;
  } finally {
    // Ends the request when the reader gave up.
    stop.abort();
  }
  return { messages: finished, text: reader.text, ended: reader.ended() };
}

type StreamPart = ReturnType<typeof streamText<ToolSet>>['fullStream'] extends AsyncIterable<infer Part> ? Part : never;

class Reader {
  readonly #options: ModelStreamOptions;
  #chars = 0;
  readonly #argumentChars = new Map<string, number>();
  #finish: { unified: string; raw: string | undefined } | undefined;
  text = '';
  /** The text of the current step. */
  stepText = '';

  constructor(options: ModelStreamOptions) {
    this.#options = options;
  }

  take(part: StreamPart): void {
    const { calls, onText, onReasoning, onBadCall } = this.#options;
    switch (part.type) {
      case 'text-delta':
        this.#count(part.text);
        this.text += part.text;
        this.stepText += part.text;
        onText(part.text);
        break;
      case 'reasoning-delta':
        this.#count(part.text);
        onReasoning(part.text);
        break;
      case 'tool-input-delta':
        this.#countArguments(part.id, part.delta);
        break;
      case 'tool-call':
        if (part.invalid === true) onBadCall?.(part.toolName, part.error);
        calls?.see(part.toolCallId);
        break;
      case 'finish-step':
        this.stepText = '';
        this.#finish = { unified: part.finishReason, raw: part.rawFinishReason };
        break;
      case 'error':
        throw part.error;
      default:
    }
  }

  ended(): ModelAnswer['ended'] {
    const { unified, raw } = this.#finish ?? { unified: 'other', raw: undefined };
    if (unified === 'length') return 'length';
    if (unified === 'tool-calls') return 'steps';
    // A server that says why it stopped has stopped; a stream that was cut says nothing.
    if (unified === 'stop' || raw !== undefined) return 'stop';
    throw new CutStreamError();
  }

  #count(text: string): void {
    this.#chars += text.length;
    const { maxChars = maxAnswerChars } = this.#options;
    if (this.#chars > maxChars) throw tooLong(`more than ${maxChars.toLocaleString('en')} characters`);
  }

  #countArguments(id: string, text: string): void {
    const chars = (this.#argumentChars.get(id) ?? 0) + text.length;
    this.#argumentChars.set(id, chars);
    if (chars > maxArgumentChars)
      throw tooLong(`a call of a tool with more than ${maxArgumentChars.toLocaleString('en')} characters`);
  }
}

function tooLong(what: string): AgentError {
  return new AgentError(
    'limit_exceeded',
    `The model did not come to an end: it wrote ${what}. Ask for less at once, or choose another model.`,
  );
}
