import { callOptionsOf } from '../models/call-options.ts';
import { withRequest } from '../models/usage.ts';
import type { Calls } from './calls.ts';
import { askIfLarge } from './large-request.ts';
import { tokensOf } from './request-size.ts';
import { LeadingThink } from './leading-think.ts';
import { streamModel, type ModelAnswer, type ModelStreamOptions } from './model-stream.ts';
import { ToolLine } from './tools/tool-part.ts';
import type { Turn } from './turn.ts';
import { wordsOf } from './words.ts';

/** An answer that was not finished must not look as if it were. */
const cutMark = '\n\n[The answer was cut: the model had no more room. Send "go on" to have the rest.]';

type SpeakOptions = Pick<ModelStreamOptions, 'system' | 'messages' | 'tools' | 'toolChoice' | 'maxSteps'> & {
  calls?: Calls;
  /** Default: it goes into the message. */
  onText?: (text: string) => void;
};

/** Lets the model of the turn answer into its message. What it said stays in the turn, also when it fails in the middle. */
export async function speak(turn: Turn, options: SpeakOptions): Promise<ModelAnswer> {
  const { live, model, signal, said } = turn;
  const think = new LeadingThink();
  const show = (pieces: ReturnType<LeadingThink['push']>): void => {
    for (const { type, text } of pieces) live.append(type, text);
  };
  const sent = tokensOf(options);
  await askIfLarge(turn, sent);
  const answer = await streamModel({
    onText: (text) => show(think.push(text)),
    ...options,
    model: model.model,
    callOptions: callOptionsOf(model.options),
    signal,
    onUsage: (told, messages) => {
      const estimate = sent + tokensOf({ messages });
      live.setUsage(withRequest(live.usage, { model: model.id, price: model.price, told, estimate }));
    },
    onReasoning: (text) => live.append('reasoning', text),
    onBadCall: (name, problem) => {
      new ToolLine(live, name, `A call of ${name}`).change({ state: 'failed', detail: wordsOf(problem) });
    },
    onMessages: (messages) => live.setModelMessages([...said, ...messages]),
  }).finally(() => show(think.end()));
  if (answer.ended === 'length' && options.onText === undefined) live.append('text', cutMark);
  said.push(...answer.messages);
  live.setModelMessages([...said]);
  return answer;
}
