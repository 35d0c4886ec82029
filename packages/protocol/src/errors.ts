import type { EngineName } from './engines.ts';
import type { LimitName, LimitUnit } from './limits.ts';
import type { RunProfile } from './profile.ts';
import { withoutPaths } from './text.ts';

/**
 * Every error of the product is a `SandboxError` with one of these string codes.
 * The numbers exist on the wire only, as JSON-RPC error codes.
 */
export const errorNumbers = {
  // 1001-1099 come from the script. The script, or the limits that it was given, must change.
  /** The script is not valid JavaScript. */
  parse_error: 1001,
  /** The script uses JavaScript that the language lacks; the message names the construct. */
  unsupported_syntax: 1002,
  /** The script threw an error and did not catch it, or its result cannot cross to the host. */
  script_error: 1003,
  /** The run exceeded a limit: `details.limit` says which. */
  limit_exceeded: 1004,
  /** The script did not end within `timeoutMs`. */
  timeout: 1005,
  /** The caller cancelled the run. */
  cancelled: 1006,
  /** A path or a capability was refused, and the script did not catch that error. */
  capability_denied: 1007,
  /** A capability call took too long, and the script did not catch that error. */
  capability_timeout: 1008,
  /** A run in segments would have to wait where it cannot be frozen. The message says what to write instead. */
  cannot_freeze: 1009,
  // 1101-1199 come from the sidecar: the process or its installation failed.
  /** The process died while it ran the script; `details.reason` says why. Made by the client. */
  sidecar_crashed: 1101,
  /** No process can be started, or it died while no script ran. Made by the client. */
  sidecar_unavailable: 1102,
  /** The script has crashed its process before, and the client refuses to run it for a while. Made by the client. */
  quarantined: 1103,
  /** The native engine could not be loaded; the message names platform, package and reason. */
  engine_unavailable: 1104,
  /** A message is malformed or out of order, or the peer has another protocol version. */
  protocol_error: 1105,
  /** The connection to a remote sandbox broke during the run. It is not run again. Made by the client. */
  connection_lost: 1106,
  // 1201-1299 come from the client: the call was never sent, or the client is closed.
  /** Too many runs wait for a process. Made by the client. */
  queue_full: 1201,
  /** The call came after `shutdown`, or after the client was closed. */
  closed: 1202,
  /** Invalid arguments, or an unknown field. Nothing was run. */
  invalid_request: 1203,
  /** A frozen run was not thawed: `details.refusal` says why. Nothing was run. */
  snapshot_refused: 1204,
} as const;

/** The `code` of a `SandboxError`. */
export type ErrorCode = keyof typeof errorNumbers;

const codesByNumber = new Map<number, ErrorCode>(
  Object.entries(errorNumbers).map(([code, number]) => [number, code as ErrorCode]),
);

/** Numbers that JSON-RPC and LSP define. A general-purpose library answers with them. */
const standardNumbers = new Map<number, ErrorCode>([
  [-32602, 'invalid_request'], // InvalidParams
  [-32800, 'cancelled'], // RequestCancelled
  [-32099, 'invalid_request'], // MessageWriteError: the message exceeds the cap of a frame
]);

/** The code for a JSON-RPC error number; any number outside the table is a `protocol_error`. */
export function codeOfNumber(number: number): ErrorCode {
  return codesByNumber.get(number) ?? standardNumbers.get(number) ?? 'protocol_error';
}

/** Whether `value` is one of the codes. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(errorNumbers, value);
}

/** Only a client can know that a process or a connection died, that its queue is full, or what a script did before. */
const clientCodes = new Set<ErrorCode>([
  'sidecar_crashed',
  'sidecar_unavailable',
  'quarantined',
  'queue_full',
  'connection_lost',
]);

/** Whether `value` is a code that a peer may answer with. */
export function isWireCode(value: unknown): value is ErrorCode {
  return isErrorCode(value) && !clientCodes.has(value);
}

/**
 * What a failed run had used. Times are in ms, sizes in bytes. When the sidecar was killed or died, `executionMs` is
 * the time until then. The other numbers are the last ones that it reported, up to 50 ms before its last call of a
 * capability.
 */
export interface RunSpent {
  /** Wall time in the sidecar, without the time of host functions. */
  executionMs: number;
  /**
   * Processor time in all threads of the sidecar. It is much less than `executionMs` when other programs kept the
   * machine busy.
   */
  cpuMs: number;
  /** Instructions up to the last call of a capability, because the engine reports none for a step that failed. */
  instructionsUsed: number;
  /** Growth of the sidecar's peak resident memory. */
  heapBytesUsed: number;
  /** Calls of built-ins and host functions. */
  hostCalls: number;
  /** Bytes read from files. */
  bytesRead: number;
  /** The file that was read last: its path as the script wrote it, how far it was read, and its size. */
  reached?: { path: string; position: number; size: number } | undefined;
}

/** Where in the script an error happened. Lines and columns count from 1; columns count UTF-16 units. */
export interface SourceLocation {
  /** Line of the first character. */
  line: number;
  /** Its column. */
  column: number;
  /** Line of the end. */
  endLine: number;
  /** Column right after the last character. */
  endColumn: number;
  /** `statement`: the span is the failing code. `function`: the engine only knows the function around it. */
  precision: 'statement' | 'function';
  /** Name of that function, where it has one; absent at the top level. */
  functionName?: string | undefined;
}

/** What an error is about, if the engine can tell: a construct that the language lacks, or a step that failed. */
export const constructs = [
  // The compiler refused these.
  'class',
  'generator',
  'var',
  'accessor',
  'tagged_template',
  'module',
  'forbidden_global',
  'early_return',
  // The engine found these while it ran the script.
  'undefined_name',
  'use_before_declaration',
  'constant_assignment',
  'missing_member',
  'not_callable',
  'nullish_access',
  'not_iterable',
  'coercion',
  'user_constructor',
  'call_in_callback',
  'look_ahead',
  'look_behind',
  'backreference',
  'regex_flag',
  'regex_syntax',
  'json_syntax',
  'nesting',
  'unsettled_promise',
  'engine_fault',
  // Values of these kinds cannot leave the script, in its result or as an argument of a call.
  'shared_reference',
  'cyclic_value',
  'map_or_set_value',
  'date_value',
  'bigint_value',
  'function_value',
  'exotic_value',
] as const;
/** One of `constructs`. */
export type Construct = (typeof constructs)[number];

/** Why a sidecar does not continue from a snapshot. */
export const snapshotRefusals = [
  // The sidecar gives these.
  'damaged',
  'other_script',
  'engine_version',
  'file_changed',
  // The keeper of snapshots gives these.
  'forged',
  'unknown_key',
  'foreign',
  'stale',
  'scope_changed',
  'tools_changed',
] as const;
/** One of `snapshotRefusals`. */
export type SnapshotRefusal = (typeof snapshotRefusals)[number];

/** How a sidecar ended. */
export type CrashReason = 'out_of_memory' | 'stack_overflow' | 'abort' | 'killed' | 'exit';

/** JSON facts about an error. Which of them are present depends on the code. */
export interface ErrorDetails {
  /** `limit_exceeded`, `timeout`: the limit's name, such as `heap_bytes`. */
  limit?: LimitName | undefined;
  /** The value of that limit. */
  value?: number | undefined;
  /** Its unit. */
  unit?: LimitUnit | undefined;
  /** How much was used or asked for, in the same unit, if known. */
  actual?: number | undefined;
  /** `parse_error`, `unsupported_syntax`, `script_error`: what the error is about. */
  construct?: Construct | undefined;
  /** The name that the error is about, such as that of a missing method. */
  subject?: string | undefined;
  /** `parse_error`, `unsupported_syntax`: the message without the location. */
  problem?: string | undefined;
  /** Where in the script it happened. */
  location?: SourceLocation | undefined;
  /** Two or three numbered source lines with a mark under the failing code. */
  frame?: string | undefined;
  /** `script_error`: `name` of what the script threw, such as `TypeError`. */
  name?: string | undefined;
  /** `script_error`: `message` of what the script threw. */
  thrownMessage?: string | undefined;
  /** `script_error`: `code` of what the script threw, if it had one. */
  thrownCode?: string | undefined;
  /** `details` of the error that a host function threw and the script did not catch, as JSON. */
  thrownDetails?: Record<string, unknown> | undefined;
  /** The functions that were running when the script failed, the innermost first; each with its whole span. */
  traceback?: SourceLocation[] | undefined;
  /** `capability_denied`, `capability_timeout`: the capability. */
  capability?: string | undefined;
  /**
   * The path of the file as the script wrote it. For a value that cannot cross, the path inside it to the part that is
   * refused.
   */
  path?: string | undefined;
  /** A run that failed in the sidecar: names of the attachments that it had read from. Absent when there are none. */
  attachmentsRead?: string[] | undefined;
  /** `sidecar_crashed`, `sidecar_unavailable`: how the process ended. */
  reason?: CrashReason | undefined;
  /** A run that failed in the sidecar after it began: the engine that ran it. */
  engine?: EngineName | undefined;
  /** A run that failed in the sidecar: what it had used until then, in the terms of a result. */
  spent?: RunSpent | undefined;
  /** A run that failed in the sidecar and needed much memory: the resident memory of the sidecar after it, in bytes. */
  residentBytes?: number | undefined;
  /** `snapshot_refused`: the reason. */
  refusal?: SnapshotRefusal | undefined;
  /** The signal that ended the process. */
  signal?: string | undefined;
  /** The exit code of the process. */
  exitCode?: number | undefined;
  /** The last lines that the process wrote to stderr. */
  stderr?: string | undefined;
  /** `invalid_request`, `protocol_error`: each field of the message that does not match its schema, and why. */
  problems?: string[] | undefined;
  /** A run with `profile` that failed in the sidecar after it began: its profile up to the failure. */
  profile?: RunProfile | undefined;
  /** `parse_error`, `unsupported_syntax`: everything that the compiler objects to, if there is more than one thing. */
  diagnostics?: unknown[] | undefined;
  [key: string]: unknown;
}

/** All copies of this class share one symbol, because a program may hold several copies, each in its own bundle. */
const brand = Symbol.for('mustard-sandbox.SandboxError');

/**
 * The one error class of the product.
 *
 * `code` is for the program: it tells what to do. `message` is for a person or a model. `details` holds the facts as
 * JSON, and `cause` the underlying error, if any. `instanceof` is true for an error of any copy of this class: the
 * client's, the daemon's or a bundle's.
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

  static override [Symbol.hasInstance](value: unknown): value is SandboxError {
    // A subclass must not take instances of its parent for its own.
    if (this !== SandboxError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === 'object' && value !== null && brand in value;
  }

  static {
    // Not declared as a member: TypeScript would then refuse one copy's type where another copy's is expected.
    Object.defineProperty(this.prototype, brand, { value: true });
  }

  toJSON(): { code: ErrorCode; message: string; details: ErrorDetails } {
    return { code: this.code, message: this.message, details: this.details };
  }
}

/**
 * The error for options or arguments that make no sense. The parts of the message lead from the place to the reason:
 * `createSandbox()`, `roots`, `one of them is empty`. The last part has no full stop.
 */
export function invalidRequest(...parts: string[]): SandboxError {
  return new SandboxError('invalid_request', `${parts.join(': ')}.`);
}

/**
 * Returns `error` itself when it is a `SandboxError`. Otherwise returns a `SandboxError` with `code` that wraps it,
 * without the paths in its message.
 */
export function toSandboxError(error: unknown, code: ErrorCode = 'protocol_error'): SandboxError {
  if (error instanceof SandboxError) return error;
  return new SandboxError(code, withoutPaths(messageOf(error)), { cause: error });
}

/** The message of anything that can be thrown. It is always a string. */
export function messageOf(error: unknown): string {
  try {
    if (typeof error !== 'object' || error === null) return String(error);
    // `instanceof` is false for an error of another realm, such as a vm context.
    if ('message' in error) return String(error.message);
    // oxlint-disable-next-line typescript/no-base-to-string -- the next line replaces the default text
    const text = String(error);
    return text === '[object Object]' ? JSON.stringify(error).slice(0, 1_000) : text;
  } catch {
    return 'an error without a message';
  }
}
