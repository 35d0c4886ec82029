// The steps of a plan, and how far it is done. This runs in the server and in the page.
import type { Message, Proposal } from './contract/model.ts';
import { maxStepLength, maxSteps, type WorkPlan } from './contract/work-plan.ts';

const marker = /^\s*(?:[-*+]|\d{1,5}[.)])\s+(?:\[[ xX]\]\s+)?/;

/**
 * The steps that a model wrote as a markdown list. A line with a marker begins a step, and other lines continue it. Without
 * any marker each line is a step. Every step is one line of at most `maxStepLength`, and there are at most `maxSteps`.
 */
export function stepsIn(text: string): { steps: string[]; more: number } {
  const lines = text.split(/[\r\n\u2028\u2029]+/).filter((line) => line.trim() !== '');
  const isList = lines.some((line) => marker.test(line));
  const steps: string[] = [];
  let count = 0;
  for (const line of lines) {
    const begins = !isList || marker.test(line);
    const words = line.replace(begins ? marker : '', '').trim();
    if (begins) {
      if (words === '') continue;
      count++;
      if (count <= maxSteps) steps.push(shortened(words));
    } else if (count > 0 && count <= maxSteps) steps.push(shortened(`${steps.pop()} ${words}`));
  }
  return { steps, more: Math.max(0, count - maxSteps) };
}

/** A text in the length of a step, which is not cut in the middle of a surrogate pair. */
export function shortened(text: string): string {
  if (text.length <= maxStepLength) return text;
  return `${text.slice(0, maxStepLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** `said` means that an answer says it has done the step, but its proposal is not in the app. */
export type StepState = 'open' | 'said' | 'done';

/** A message with a plan. */
export type Planned = Message & { workPlan: WorkPlan };

/** The plan that was approved last; `undefined` when there is none, or the person has ended it. */
export function planFollowed(messages: readonly Message[]): Planned | undefined {
  const last = messages.findLast(({ workPlan }) => workPlan?.state === 'approved' || workPlan?.state === 'ended');
  return last?.workPlan?.state === 'approved' ? (last as Planned) : undefined;
}

/** How far each step of a plan is. A step is done as long as what its answer proposed is in the app. */
export function progressOf({ id, workPlan }: Planned, messages: readonly Message[]): StepState[] {
  const states = workPlan.steps.map((): StepState => 'open');
  const since = messages.slice(messages.findIndex((message) => message.id === id) + 1);
  for (const { parts, proposal, state } of since) {
    const means = proposal === null ? (state === 'streaming' ? 'said' : 'done') : meansOf(proposal);
    if (means === 'open') continue;
    for (const part of parts) {
      if (part.type === 'step' && part.plan === id && states[part.step] !== undefined && states[part.step] !== 'done')
        states[part.step] = means;
    }
  }
  return states.map((state, index) => workPlan.steps[index]?.marked ?? state);
}

function meansOf({ state, undone }: Proposal): StepState {
  if (undone !== undefined) return 'open';
  if (state === 'approved') return 'done';
  return state === 'pending' || state === 'applying' ? 'said' : 'open';
}

/** The plan as text, with a line for each step, such as `1. [x] Add a page`. */
export function listOf({ steps }: Pick<WorkPlan, 'steps'>, states: readonly StepState[]): string {
  const signs = { open: ' ', said: '~', done: 'x' } as const;
  return steps.map(({ text }, index) => `${index + 1}. [${signs[states[index] ?? 'open']}] ${text}`).join('\n');
}
