import type { IconName } from '../parts/icons.tsx';
import type { MessageKey } from '../messages/messages.ts';

/** A call of a tool in a run that can wait, with the facts of `@mustard-sandbox/runs` and times in ms. */
export interface ScriptCall {
  /** Counts up from 1 through the run. */
  id: number;
  tool: string;
  /** The arguments, as the script gave them. */
  args: readonly unknown[];
  /** The line of the call in the script, from 1. */
  line?: number;
  state: 'ready' | 'approval' | 'external' | 'proposed' | 'under_way' | 'unknown' | 'answered';
  /** Whether the answer is an error. */
  failed?: boolean;
  durationMs?: number;
  answerBytes?: number;
  ruling?: 'allowed' | 'asked' | 'approved' | 'denied' | 'refused';
  /** The person or the rule that decided. */
  by?: string;
  /** What "for this run" and "always" would allow. Without it these answers are not offered. */
  rule?: CallRule;
  /** The tool's answer, if the host has it. */
  answer?: unknown;
}

/** A rule for one tool: with exactly this input, or with these values of some of its fields. */
export interface CallRule {
  tool: string;
  input?: unknown;
  where?: Readonly<Record<string, unknown>>;
}

/** A person's answer to a call that waits for them. */
export type CallDecision = 'allow' | 'allow-run' | 'allow-always' | 'deny' | 'not-done' | 'try-again';

/** A new answer to a past call. */
export type ForkAnswer = { value: unknown } | { error: string };

/**
 * What a host does about calls. Without `onDecide` no call can be answered, and without `onFork` no answer can be
 * changed.
 */
export interface CallActions {
  onDecide?: (call: number, decision: CallDecision) => void | Promise<void>;
  /** Starts a run that has all answers before this call, and this new answer to it. */
  onFork?: (call: number, answer: ForkAnswer) => void | Promise<void>;
}

/** Whether a person is asked about the call. */
export function isAsked({ state }: ScriptCall): boolean {
  return state === 'approval' || state === 'unknown';
}

/** The state of a call: an icon, and the word that goes with it. */
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

/** All arguments, exactly as they are sent. */
export function argumentsOf({ args }: ScriptCall): string {
  return args.map((arg) => JSON.stringify(arg, undefined, 2) ?? 'undefined').join(',\n');
}
