export { createRuns } from './runs.ts';
export { RunError, type RunErrorCode } from './errors.ts';
export type { Key } from '@mustard-sandbox/client/seal';
export { postgresStore } from './store/postgres.ts';
export { sqliteStore } from './store/sqlite.ts';
export type { CallFacts, Change, KeptFile, Loaded, RunStore, StoredCall, StoredRun, Verdict } from './store/store.ts';
export type { CallState, RunState, WaitsFor } from './states.ts';
export type { BegunCall, DoneBefore, LargeAnswers, Policy, Remembered, Ruling, ToolInput } from './policy.ts';
export { later, type Later } from './types.ts';
export type {
  AuditRecord,
  CallContext,
  Decision,
  DecisionOnProposal,
  ForkOptions,
  InputSchema,
  Run,
  RunCall,
  RunEvent,
  RunProblem,
  Runs,
  RunsOptions,
  StartOptions,
  Tool,
} from './types.ts';
