// Beside `@mustard-sandbox/protocol`, what a client is built on whose sidecars are somewhere else, and its server.
export { PausableTimer } from './deadline.ts';
export { callSafely, Events } from './events.ts';
export { assertFits, assertGiven, Incoming } from './incoming.ts';
export type { RelayedResult, RelayedRun, RelayingSandbox } from './relay.ts';
export { createRelayingSandbox } from './sandbox.ts';
export { buildRunRequest, buildSegmentRequest, type RunRequest } from './run-request.ts';
export { keepingOutputs } from './outputs/run-outputs.ts';
export { Totals } from './totals.ts';
export type { HostAnswer } from './host-calls.ts';
export type {
  HostFunction,
  RunOptions,
  RunResult,
  Sandbox,
  SandboxEvents,
  SandboxStats,
  SidecarState,
  SupervisorState,
} from './types.ts';
