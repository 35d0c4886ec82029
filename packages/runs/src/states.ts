/** Where a run stands. */
export type RunState = 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled' | 'expired';

/**
 * What a run waits for: answers from outside, a yes or no to calls or to a proposal of them, a time, what became of a call, or
 * to be started again.
 */
export type WaitsFor = 'calls' | 'approvals' | 'proposal' | 'time' | 'outcomes' | 'restart';

/**
 * Where a call stands. `external`: `resume` answers it. `proposed`: the script has a stand-in for its answer, and the call is
 * made when the proposal is approved. `unknown`: it was under way when its host died, and nobody knows whether it was done.
 */
export type CallState = 'ready' | 'approval' | 'external' | 'proposed' | 'under_way' | 'unknown' | 'answered';
