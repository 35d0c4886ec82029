import type { IconName } from '../parts/icons.tsx';
import type { MessageKey } from '../messages/messages.ts';

/** A call of a tool in a run that can wait: what `@mustard-sandbox/runs` tells of it, with times in ms. */
export interface ScriptCall {
  /** Counts up from 1 in the run. */
  id: number;
  tool: string;
  /** As the script gave them. */
  args: readonly unknown[];
  /** Where the script calls it, from 1. */
  line?: number;
  state: 'ready' | 'approval' | 'external' | 'proposed' | 'under_way' | 'unknown' | 'answered';
  /** Whether the answer is an error. */
  failed?: boolean;
  durationMs?: number;
  answerBytes?: number;
  ruling?: 'allowed' | 'asked' | 'approved' | 'denied' | 'refused';
  /** The person or the rule that decided. */
  by?: string;
  /** What "for this run" and "always" would allow. Without it they are not offered. */
  rule?: CallRule;
  /** What the tool gave, where the host has it. */
  answer?: unknown;
}

/** One tool, with this input, or with these values of some of its fields. */
export interface CallRule {
  tool: string;
  input?: unknown;
  where?: Readonly<Record<string, unknown>>;
}

/** What a person says of a call that waits for them. */
export type CallDecision = 'allow' | 'allow-run' | 'allow-always' | 'deny' | 'not-done' | 'try-again';

/** Another answer of a past call. */
export type ForkAnswer = { value: unknown } | { error: string };

/** What a host does about calls. Without `onDecide` nothing can be answered, without `onFork` nothing changed. */
export interface CallActions {
  onDecide?: (call: number, decision: CallDecision) => void | Promise<void>;
  /** Starts a run that has all answers up to this call, and this one in place of the one that it had. */
  onFork?: (call: number, answer: ForkAnswer) => void | Promise<void>;
}

/** Whether a person is asked about it. */
export function isAsked({ state }: ScriptCall): boolean {
  return state === 'approval' || state === 'unknown';
}

/** How a call stands: a picture, and the word that goes with it. */
export function standingOf({ state, failed, ruling }: ScriptCall): { icon: IconName; word: MessageKey } {
  if (state === 'approval') return { icon: 'question', word: 'callApproval' };
  if (state === 'unknown') return { icon: 'warning', word: 'callUnknown' };
  if (state === 'external') return { icon: 'clock', word: 'callExternal' };
  if (state === 'under_way') return { icon: 'running', word: 'callUnderWay' };
  if (state === 'proposed') return { icon: 'pencil', word: 'callProposed' };
  if (state === 'ready') return { icon: 'clock', word: 'callReady' };
  if (ruling === 'denied' || ruling === 'refused')
    return { icon: 'hand', word: ruling === 'denied' ? 'callDenied' : 'callRefused' };
  return failed === true ? { icon: 'cross', word: 'callFailed' } : { icon: 'check', word: 'callDone' };
}

/** All arguments, as they are sent. */
export function argumentsOf({ args }: ScriptCall): string {
  return args.map((arg) => JSON.stringify(arg, undefined, 2) ?? 'undefined').join(',\n');
}
