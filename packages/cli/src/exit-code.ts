import type { FailureCode } from './failure.ts';

/** The exit codes of the command. They say who caused the failure. */
export const exitCodes = { done: 0, script: 1, usage: 2, stopped: 3, sidecar: 4 } as const;

const codeOfError = {
  parse_error: exitCodes.script,
  unsupported_syntax: exitCodes.script,
  script_error: exitCodes.script,
  limit_exceeded: exitCodes.script,
  capability_denied: exitCodes.script,
  capability_timeout: exitCodes.script,
  cannot_freeze: exitCodes.script,
  invalid_request: exitCodes.usage,
  snapshot_refused: exitCodes.usage,
  timeout: exitCodes.stopped,
  cancelled: exitCodes.stopped,
  sidecar_crashed: exitCodes.sidecar,
  sidecar_unavailable: exitCodes.sidecar,
  quarantined: exitCodes.sidecar,
  engine_unavailable: exitCodes.sidecar,
  protocol_error: exitCodes.sidecar,
  queue_full: exitCodes.sidecar,
  closed: exitCodes.sidecar,
  connection_lost: exitCodes.sidecar,
  not_found: exitCodes.usage,
  not_a_file: exitCodes.usage,
  unreadable: exitCodes.usage,
  unwritable: exitCodes.usage,
  unsafe_folder: exitCodes.usage,
  newer_version: exitCodes.usage,
  // The command line may work at the next try, as after a sidecar that died.
  changed_while_storing: exitCodes.sidecar,
  disk_full: exitCodes.sidecar,
  locked: exitCodes.sidecar,
  disabled: exitCodes.usage,
  forbidden: exitCodes.usage,
  seed_failed: exitCodes.usage,
  workspace_full: exitCodes.usage,
  backend_unavailable: exitCodes.sidecar,
  queue_timeout: exitCodes.sidecar,
  ended: exitCodes.usage,
  not_pending: exitCodes.usage,
  wrong_decision: exitCodes.usage,
  tool_missing: exitCodes.usage,
  ledger_mismatch: exitCodes.script,
  store_unavailable: exitCodes.sidecar,
  server_failed: exitCodes.sidecar,
  client_unavailable: exitCodes.sidecar,
} as const satisfies Record<FailureCode, number>;

export function exitCodeOf(code: FailureCode): number {
  return codeOfError[code];
}
