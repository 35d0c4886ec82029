import type { ErrorCode } from '@mustard-sandbox/client';

/** What the command's exit code says: whose fault it was. */
export const exitCodes = { done: 0, script: 1, usage: 2, stopped: 3, sidecar: 4 } as const;

const codeOfError = {
  parse_error: exitCodes.script,
  unsupported_syntax: exitCodes.script,
  script_error: exitCodes.script,
  limit_exceeded: exitCodes.script,
  capability_denied: exitCodes.script,
  capability_timeout: exitCodes.script,
  invalid_request: exitCodes.usage,
  timeout: exitCodes.stopped,
  cancelled: exitCodes.stopped,
  sidecar_crashed: exitCodes.sidecar,
  sidecar_unavailable: exitCodes.sidecar,
  quarantined: exitCodes.sidecar,
  engine_unavailable: exitCodes.sidecar,
  protocol_error: exitCodes.sidecar,
  queue_full: exitCodes.sidecar,
  closed: exitCodes.sidecar,
} as const satisfies Record<ErrorCode, number>;

export function exitCodeOf(code: ErrorCode): number {
  return codeOfError[code];
}
