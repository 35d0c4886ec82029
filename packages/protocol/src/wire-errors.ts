import { ResponseError } from 'vscode-jsonrpc';
import type { Failure } from './envelope.ts';
import { codeOfNumber, errorNumbers, isWireCode, messageOf, SandboxError, type ErrorCode } from './errors.ts';
import { maxErrorText } from './limits.ts';
import type { Protocol } from './protocol.ts';
import { oneLine, withoutPaths } from './text.ts';
import { parse } from './validation.ts';

/** The JSON-RPC error for `error`. Anything but a `SandboxError` is a bug of ours, and its message may hold paths. */
function toWire(error: unknown): Failure {
  const { code, message, details } =
    error instanceof SandboxError
      ? error
      : new SandboxError('protocol_error', `Unexpected: ${oneLine(withoutPaths(messageOf(error)))}`);
  return { code: errorNumbers[code], message: cut(message), data: { code, details: cutDetails(details) } };
}

/** The error in the form that the library sends. */
export function toResponseError(error: unknown): ResponseError<unknown> {
  const { code, message, data } = toWire(error);
  return new ResponseError(code, message, data);
}

function cut(text: string): string {
  return text.length <= maxErrorText ? text : `${text.slice(0, maxErrorText - 1)}…`;
}

/** The length of the longest list that an error may carry. */
const maxItems = 1_000;

/** Cuts texts and lists, because a script chooses some of the texts and their length. */
function cutDetails<T>(value: T): T {
  if (typeof value === 'string') return cut(value) as T;
  if (Array.isArray(value)) return value.slice(0, maxItems).map(cutDetails) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutDetails(item)])) as T;
}

function codeOfPlainError(number: number): ErrorCode {
  const code = codeOfNumber(number);
  return isWireCode(code) ? code : 'protocol_error';
}

/**
 * The error that the peer answered with.
 *
 * @throws {SandboxError} `protocol_error` for an error that does not match its schema
 */
export function fromWire({ code: number, message, data }: Failure, schema: Protocol['errorData']): SandboxError {
  // A plain JSON-RPC error, as a general-purpose library sends it.
  if (data === undefined) return new SandboxError(codeOfPlainError(number), cut(message));
  const { code, details } = parse(schema, data, 'The error of an answer', 'protocol_error');
  if (errorNumbers[code] !== number || message.length > maxErrorText) {
    throw new SandboxError(
      'protocol_error',
      'The error of an answer has a wrong number, or a message that is too long',
    );
  }
  return new SandboxError(code, message, { details: details ?? {} });
}

/** The error of a request on a connection that has ended. It counts as a broken pipe. */
export function connectionClosed(): SandboxError {
  const cause = Object.assign(new Error('The connection is closed.'), { code: 'ERR_STREAM_DESTROYED' });
  return new SandboxError('protocol_error', cause.message, { cause });
}
