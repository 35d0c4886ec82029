/** The state of a run. */
export type RunState = 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled' | 'expired';

/**
 * What a run waits for: answers from outside, a yes or no to calls or to a proposal, a time, the outcome of a call, or
 * a restart.
 */
export type WaitsFor = 'calls' | 'approvals' | 'proposal' | 'time' | 'outcomes' | 'restart';

/**
 * The state of a call. `external`: `resume` answers it. `proposed`: the script has a stand-in for its answer, and the
 * call is made when the proposal is approved. `unknown`: it was being made when its host died, and nobody knows whether
 * it was done.
 */
export type CallState = 'ready' | 'approval' | 'external' | 'proposed' | 'under_way' | 'unknown' | 'answered';
