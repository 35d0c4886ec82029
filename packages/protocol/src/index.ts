export { BusyPolling } from './busy-polling.ts';
export {
  builtinNames,
  builtins,
  chartEnding,
  furtherLibraries,
  isBuiltinName,
  isChartName,
  libraryOf,
  needsOutputs,
  parallelFunction,
  savingFunction,
  servingFunctions,
  type BuiltinName,
} from './builtins.ts';
export { Cancellation, sharedSignal, type CancelSignal } from './cancel-signal.ts';
export { compileFailure } from './compile-failure.ts';
export * from './connection.ts';
export * from './engines.ts';
export { engineSupport, problemOfRuntime, type EngineSupport } from './engine-support.ts';
export * from './errors.ts';
export type { MessageBounds } from './framing.ts';
export * from './limits.ts';
export { assertMessageShape } from './message-shape.ts';
export * from './methods.ts';
export {
  diagnosticSchema,
  maxProblems,
  maxWarnings,
  warningSchema,
  type Diagnostic,
  type RunWarning,
} from './messages/diagnostics.ts';
export { errorDataSchema } from './messages/error-data.ts';
export { hostErrorSchema, type HostError, type PendingCall, type SegmentAnswer } from './messages/host-calls.ts';
export { scopeSchema, type Scope, type ScopeOptions } from './messages/scope.ts';
export { runStatsSchema, type RunStats } from './messages/stats.ts';
export {
  functionPattern,
  identifierPattern,
  partsOfFunctionName,
  problemOfFunctionNames,
  problemOfGlobalName,
} from './names.ts';
export { busyWords, overrunMessage, overrunWords, spentByOverrun, wallFactor } from './overrun.ts';
export * from './profile.ts';
export * from './protocol.ts';
export { isShortage, resolvePackage } from './resolve-package.ts';
export { inColumns, oneLine, printable, printableCode, printableJson, quote, shorten, withoutPaths } from './text.ts';
export * from './validation.ts';
export { throwIfAborted, within } from './within.ts';
export { assertScriptFits } from './script-size.ts';
export { decodeValue, encodeFitting, encodeValue, type SandboxValue, type WireValue } from './values.ts';
export { isBrokenPipe } from './broken-pipe.ts';
