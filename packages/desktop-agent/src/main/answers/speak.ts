import type { Calls } from './calls.ts';
import { streamModel, type ModelAnswer, type ModelStreamOptions } from './model-stream.ts';
import { ToolLine } from './tools/tool-part.ts';
import type { Turn } from './turn.ts';
import { wordsOf } from './words.ts';

type SpeakOptions = Pick<ModelStreamOptions, 'system' | 'messages' | 'tools' | 'toolChoice' | 'maxSteps'> & {
  calls?: Calls;
  /** Default: it goes into the message. */
  onText?: (text: string) => void;
};

/** Lets the model of the turn answer into its message. What it said stays in the turn, also when it fails in the middle. */
export async function speak(turn: Turn, options: SpeakOptions): Promise<ModelAnswer> {
  const { live, model, signal, said } = turn;
  const answer = await streamModel({
    onText: (text) => live.append('text', text),
    ...options,
    model: model.model,
    signal,
    onReasoning: (text) => live.append('reasoning', text),
    onBadCall: (name, problem) => {
      new ToolLine(live, name, `A call of ${name}`).change({ state: 'failed', detail: wordsOf(problem) });
    },
    onMessages: (messages) => live.setModelMessages([...said, ...messages]),
  });
  said.push(...answer.messages);
  live.setModelMessages([...said]);
  return answer;
}
