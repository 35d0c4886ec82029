export { createSandbox } from './sandbox.ts';
export type {
  CrashReason,
  HostCapability,
  HostFunction,
  RunOptions,
  RunResult,
  Sandbox,
  SandboxEvents,
  SandboxStats,
  SidecarState,
  SupervisorState,
} from './types.ts';
export type { SandboxOptions } from './options.ts';
export {
  builtinCapabilities,
  defaultMaxTimeoutMs,
  isErrorCode,
  limitPresets,
  limitTable,
  readLimits,
  SandboxError,
  type ConsoleLevel,
  type Diagnostic,
  type EngineInfo,
  type ErrorCode,
  type ErrorDetails,
  type LimitOptions,
  type RunProfile,
  type RunStats,
  type SandboxValue,
  type ScopeOptions,
  type SourceLocation,
} from '@mustard-sandbox/daemon/protocol';
