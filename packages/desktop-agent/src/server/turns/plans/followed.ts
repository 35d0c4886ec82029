// The plan of a chat that its answers follow: what the model is told of it, and the steps that it ticks off.
import { listOf, planFollowed, progressOf, type Planned, type StepState } from '../../../shared/work-plan.ts';
import { marked } from '../../context/index.ts';
import { ToolLine } from '../tools/tool-part.ts';
import type { Turn } from '../turn.ts';

/** The message of a person who has approved a plan. The plan itself goes with it, and with each one after it. */
export const followText = 'Follow the plan.';

/** With how far each of its steps is. */
interface Followed {
  plan: Planned;
  states: readonly StepState[];
}

/** `undefined` where there is none, or all of it is done, or the mode of the chat changes nothing. */
function followedBy({ chat, past }: Pick<Turn, 'chat' | 'past'>): Followed | undefined {
  if (chat.mode !== 'build' && chat.mode !== 'agent') return undefined;
  const messages = past.map(({ message }) => message);
  const plan = planFollowed(messages);
  if (plan === undefined) return undefined;
  const states = progressOf(plan, messages);
  return states.every((state) => state === 'done') ? undefined : { plan, states };
}

const toTick = {
  build:
    'Directly after the changes of a step write <agent-step-done step="N"></agent-step-done>, once for each step whose changes are whole.',
  agent: 'When a step is done, call complete_step with its number.',
};

/**
 * What the model gets with each message while a plan is followed; the person sees a line for it. A model wrote the steps, so
 * they are data between marks, and no mention or command in them counts.
 */
export function planFor(turn: Turn): string {
  const followed = followedBy(turn);
  if (followed === undefined) return '';
  const { plan, states } = followed;
  const count = states.filter((state) => state === 'done').length;
  const line = new ToolLine(turn.live, 'plan', `Include the plan: ${count} of ${states.length} steps done`);
  const list = listOf(plan.workPlan, states);
  line.change({ state: 'done', detail: list });
  const tick = toTick[turn.chat.mode === 'build' ? 'build' : 'agent'];
  return `\n\nThe person approved this plan. Follow it in its order, from the first step that is open; as many steps as you can do well in this answer. [x] is done, [~] waits for the person's approval, [ ] is open. ${tick} Tick nothing off that you have not done.\n\n${marked('plan', 'plan', list)}`;
}

/** Ticks off steps in the message of an answer, each once. */
export class Ticks {
  readonly #turn: Turn;
  readonly #followed: Followed | undefined;
  readonly #ticked = new Set<number>();

  constructor(turn: Turn) {
    this.#turn = turn;
    this.#followed = followedBy(turn);
  }

  /** Whether there are steps. */
  get isEmpty(): boolean {
    return this.#followed === undefined;
  }

  /** @param number from 1, as a model says it @returns for the model; a number that names no step changes nothing */
  tick(number: number): string {
    if (this.#followed === undefined) return 'No plan is followed in this chat.';
    const { plan, states } = this.#followed;
    const step = plan.workPlan.steps[number - 1];
    if (step === undefined) return `There is no step ${number}: the plan has ${states.length}.`;
    if (!this.#ticked.has(number)) {
      this.#ticked.add(number);
      this.#turn.live.add({ type: 'step', plan: plan.id, step: number - 1, text: step.text });
    }
    const open = states.flatMap((state, index) => (state === 'done' || this.#ticked.has(index + 1) ? [] : [index + 1]));
    return `Step ${number} is ticked off. ${open.length === 0 ? 'No step is left.' : `Left: ${open.join(', ')}.`}`;
  }
}
