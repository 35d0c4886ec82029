// Fills the answer of a turn, by the mode of its chat. Imports all that is heavy.
import { AgentError } from '../../shared/contract/index.ts';
import { diskFull } from '../disk-full.ts';
import { describeFailure } from '../models/failure.ts';
import type { OpenModel } from '../models/models.ts';
import { agent } from './modes/agent.ts';
import { ask } from './modes/ask.ts';
import { build } from './modes/build.ts';
import { plan } from './modes/plan.ts';
import { openModel } from './open-model.ts';
import { AnswerFailed, NotSent, type Answered, type TurnServices, type Turn } from './turn.ts';

const modes = { ask, agent, build, plan };

/** @throws {AnswerFailed} with words for a person; {NotSent}; the reason of the signal */
export async function fillAnswer(base: Omit<Turn, 'model'>, services: TurnServices): Promise<Answered> {
  const { chat, settings, signal } = base;
  let model: OpenModel | undefined;
  try {
    model = await openModel(services, chat, settings);
    return await modes[chat.mode]({ ...base, model });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NotSent) throw error;
    services.onError('an answer failed', error);
    const said = diskFull(error) ?? error;
    if (said instanceof AgentError && (model === undefined || said !== error)) throw new AnswerFailed(said.message);
    throw new AnswerFailed(describeFailure(error, model ?? { label: 'the model', provider: 'the model' }));
  }
}
