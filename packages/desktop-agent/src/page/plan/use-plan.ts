import { useRef, useState, type RefObject } from 'react';
import type { FollowingMode } from '../../shared/contract/index.ts';
import type { Planned } from '../../shared/work-plan.ts';
import { useAgent } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

const undoMs = 30_000;

interface PlanEditing {
  steps: readonly string[];
  /** The list. The focus follows a moved step. */
  list: RefObject<HTMLOListElement | null>;
  /** What a screen reader says. */
  said: string;
  /** Whether a decision was sent and not answered yet. */
  isAsked: boolean;
  approve: (mode: FollowingMode) => void;
  reject: () => void;
  move: (index: number, by: -1 | 1) => void;
  remove: (index: number) => void;
  /** Changes a step, or adds one at the index after the last. */
  write: (index: number, text: string) => void;
}

/** Changes a plan in the server, so that all windows show the same. A decision is about what this window shows. */
export function usePlan({ id: messageId, chatId, workPlan }: Planned): PlanEditing {
  const agent = useAgent();
  const list = useRef<HTMLOListElement>(null);
  const [said, setSaid] = useState('');
  const [isAsked, setAsked] = useState(false);
  /** The last revision that this window shows, including edits that are not saved yet. */
  const shown = useRef(workPlan.revision);
  shown.current = Math.max(shown.current, workPlan.revision);
  const saving = useRef<Promise<boolean>>(Promise.resolve(true));
  const ids = { chatId, messageId };
  const steps = workPlan.steps.map(({ text }) => text);
  const save = (next: readonly string[]): Promise<boolean> => {
    const work = async (): Promise<boolean> =>
      await agent.attempt(async () => {
        const edited = { ...ids, revision: shown.current, steps: [...next] };
        const { workPlan: saved } = await agent.call('edit-work-plan', edited);
        if (saved !== null) shown.current = saved.revision;
      });
    saving.current = saving.current.then(work);
    return saving.current;
  };
  const focus = (index: number): void => {
    requestAnimationFrame(() => list.current?.querySelectorAll<HTMLElement>('[data-step]')[index]?.focus());
  };
  const move = async (index: number, by: -1 | 1): Promise<void> => {
    const to = index + by;
    const [from, other] = [steps[index], steps[to]];
    if (from === undefined || other === undefined) return;
    if (!(await save(steps.with(index, other).with(to, from)))) return;
    setSaid(texts.planStepMoved(to + 1, steps.length));
    focus(to);
  };
  const remove = async (index: number): Promise<void> => {
    if (steps.length === 1 || !(await save(steps.toSpliced(index, 1)))) return;
    const undo = { label: texts.undo, run: () => void save(steps) };
    agent.toast({ kind: 'info', text: texts.planStepRemoved, until: Date.now() + undoMs, action: undo });
    focus(Math.min(index, steps.length - 2));
  };
  const decide = async (ask: () => Promise<unknown>): Promise<void> => {
    setAsked(true);
    // If an edit could not be saved, the approval would be for another plan.
    if (await saving.current) await agent.attempt(ask);
    saving.current = Promise.resolve(true);
    setAsked(false);
  };
  return {
    steps,
    list,
    said,
    isAsked,
    approve: (mode) => void decide(() => agent.call('approve-work-plan', { ...ids, revision: shown.current, mode })),
    reject: () => void decide(() => agent.call('reject-work-plan', ids)),
    move: (index, by) => void move(index, by),
    remove: (index) => void remove(index),
    write(index, text) {
      void save(index === steps.length ? [...steps, text] : steps.with(index, text)).finally(() => focus(index));
    },
  };
}
