/**
 * Every error of the product is a `SandboxError` with one of these string codes.
 * The numbers exist on the wire only, as JSON-RPC error codes.
 */
export const errorNumbers = {
  // From the script: 1001-1099. Fix the script, or the limits it was given.
  parse_error: 1001,
  unsupported_syntax: 1002,
  script_error: 1003,
  limit_exceeded: 1004,
  timeout: 1005,
  cancelled: 1006,
  capability_denied: 1007,
  capability_timeout: 1008,
  // From the sidecar: 1101-1199. The process or its installation failed.
  sidecar_crashed: 1101,
  sidecar_unavailable: 1102,
  quarantined: 1103,
  engine_unavailable: 1104,
  protocol_error: 1105,
  // From the client: 1201-1299. The call was never sent, or the client is gone.
  queue_full: 1201,
  closed: 1202,
  invalid_request: 1203,
} as const;

export type ErrorCode = keyof typeof errorNumbers;

const codesByNumber = new Map<number, ErrorCode>(
  Object.entries(errorNumbers).map(([code, number]) => [number, code as ErrorCode]),
);

/** Numbers that JSON-RPC and LSP define themselves, as `vscode-jsonrpc` answers them. */
const standardNumbers = new Map<number, ErrorCode>([
  [-32602, 'invalid_request'], // InvalidParams
  [-32800, 'cancelled'], // RequestCancelled
]);

/** The code for a JSON-RPC error number; any number outside the table is a `protocol_error`. */
export function codeOfNumber(number: number): ErrorCode {
  return codesByNumber.get(number) ?? standardNumbers.get(number) ?? 'protocol_error';
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(errorNumbers, value);
}

/** Only a client can know that a process died, that its queue is full, or what a script did before. */
const clientCodes = new Set<ErrorCode>(['sidecar_crashed', 'sidecar_unavailable', 'quarantined', 'queue_full']);

/** Whether a peer may answer with it. */
export function isWireCode(value: unknown): value is ErrorCode {
  return isErrorCode(value) && !clientCodes.has(value);
}

/** Where in the script an error happened. Lines and columns count from 1; columns count UTF-16 units. */
export interface SourceLocation {
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  /** `statement`: the span is the failing code. `function`: the engine only knows the function around it. */
  precision: 'statement' | 'function';
  /** Name of that function, where it has one; absent at the top level. */
  functionName?: string | undefined;
}

/** JSON-able facts about an error; which ones are there depends on the code. */
export interface ErrorDetails {
  /** `limit_exceeded`, `timeout`: the limit's name, its value and its unit. */
  limit?: string | undefined;
  value?: number | undefined;
  unit?: string | undefined;
  location?: SourceLocation | undefined;
  /** Two or three numbered source lines with a mark under the failing code. */
  frame?: string | undefined;
  /** What the script threw: the name, and the code where it had one. */
  name?: string | undefined;
  thrownCode?: string | undefined;
  /** `capability_denied`, `capability_timeout`: the capability, and the path as the script wrote it. */
  capability?: string | undefined;
  path?: string | undefined;
  /** `sidecar_crashed`, `sidecar_unavailable`: how the process ended. */
  reason?: string | undefined;
  signal?: string | undefined;
  exitCode?: number | undefined;
  stderr?: string | undefined;
  [key: string]: unknown;
}

/**
 * The one error class of the product.
 *
 * `code` tells what to do; `message` is one sentence that a person or a model can act on;
 * `details` holds the facts as JSON; `cause` the underlying error, if any.
 */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, options: { details?: ErrorDetails; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }

  toJSON(): { code: ErrorCode; message: string; details: ErrorDetails } {
    return { code: this.code, message: this.message, details: this.details };
  }
}

/** `error` itself when it is a `SandboxError`, otherwise one with `code` that wraps it. */
export function toSandboxError(error: unknown, code: ErrorCode = 'protocol_error'): SandboxError {
  if (error instanceof SandboxError) return error;
  return new SandboxError(code, messageOf(error), { cause: error });
}

/** Always a string, whatever was thrown. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'something that has no message';
  }
}
