// What a client is built on whose sidecars are somewhere else, and the server that it talks to.
export * from '@mustard-sandbox/daemon/protocol';
export { PausableTimer } from './deadline.ts';
export { callSafely, Events } from './events.ts';
export { assertFits, assertGiven, Incoming } from './incoming.ts';
export { resolveRoots } from './isolation/roots.ts';
export type { RelayedResult, RelayedRun, RelayingSandbox } from './relay.ts';
export { createRelayingSandbox } from './sandbox.ts';
export { buildRunRequest, type RunRequest } from './run-request.ts';
export { Totals } from './totals.ts';
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
