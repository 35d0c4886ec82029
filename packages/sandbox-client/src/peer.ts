// What a program needs in addition to `@mustard-sandbox/protocol` to build a client whose sidecars run elsewhere, or
// the server of such a client.
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
