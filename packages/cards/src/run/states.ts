import type { ScriptRecord } from '@mustard-sandbox/agent-tool';
import type { MessageKey } from '../messages/messages.ts';
import type { IconName } from '../parts/icons.tsx';

/** The state of a call. */
export type RunStatus = 'waiting' | 'running' | 'success' | 'error' | 'timeout' | 'crashed' | 'stopped' | 'denied';

type ErrorCode = Extract<ScriptRecord, { error: unknown }>['error']['code'];

interface State {
  icon: IconName;
  /** The colour of the icon. */
  tone: 'quiet' | 'success' | 'warning' | 'error';
  word: MessageKey;
  /** Whether the call has not ended. */
  isUnderWay?: true;
  /** Whether a card opens by itself in this state. */
  opens?: true;
  /** Errors that end a call in this state. All others end it in `error`. */
  codes?: readonly ErrorCode[];
}

/** How a card shows each state. */
export const states: Record<RunStatus, State> = {
  waiting: { icon: 'question', tone: 'warning', word: 'statusWaiting', isUnderWay: true },
  running: { icon: 'running', tone: 'quiet', word: 'statusRunning', isUnderWay: true },
  success: { icon: 'check', tone: 'success', word: 'statusSuccess' },
  error: { icon: 'cross', tone: 'error', word: 'statusError', opens: true },
  timeout: { icon: 'clock', tone: 'warning', word: 'statusTimeout', opens: true, codes: ['timeout'] },
  crashed: {
    icon: 'crash',
    tone: 'error',
    word: 'statusCrashed',
    opens: true,
    codes: ['sidecar_crashed', 'quarantined'],
  },
  stopped: { icon: 'stop', tone: 'quiet', word: 'statusStopped', codes: ['cancelled'] },
  denied: { icon: 'hand', tone: 'quiet', word: 'statusDenied' },
};

/** The state of a call that ended with an error of this code. */
export function statusOfError(code: ErrorCode): RunStatus {
  const names = Object.keys(states) as RunStatus[];
  return names.find((name) => states[name].codes?.includes(code)) ?? 'error';
}

/** Whether a call has not ended. */
export function isUnderWay(status: RunStatus): boolean {
  return states[status].isUnderWay === true;
}
