import type { NotificationMessage, RequestMessage, ResponseMessage } from 'vscode-jsonrpc';
import { SandboxError } from './errors.ts';
import type { Message } from './framing.ts';
import { oneLine, quote } from './text.ts';

/** Names a request while it is open. */
type Id = string | number;

/** The JSON-RPC error of an answer. */
export interface Failure {
  code: number;
  message: string;
  data?: unknown;
}

/** What a message is. A request and a notification have params, if only empty ones. */
export type Envelope =
  | { kind: 'request'; message: RequestMessage & { id: Id } }
  | { kind: 'notification'; message: NotificationMessage }
  | { kind: 'cancellation'; id: Id }
  | { kind: 'answer'; message: ResponseMessage };

export const cancelMethod = '$/cancelRequest';
const maxIdLength = 64;

/**
 * Checks the envelope of a message: it has exactly the fields of JSON-RPC 2.0, and params by name. The schema of the
 * method checks the params themselves.
 *
 * @throws {SandboxError} `protocol_error`
 */
export function readEnvelope(message: Message): Envelope {
  if (message['jsonrpc'] !== '2.0') throw malformed('is not JSON-RPC 2.0');
  if (!Object.hasOwn(message, 'method')) return readAnswer(message);
  if (!Object.hasOwn(message, 'params')) message['params'] = {};
  const { method, params } = message;
  if (typeof method !== 'string') throw malformed('has a method that is not a string');
  if (!isObject(params)) throw malformed(`to ${quote(method)} has params that are not an object`);
  if (Object.hasOwn(message, 'id')) {
    onlyFields(message, requestFields);
    if (!isId(message['id'])) {
      throw malformed(`to ${quote(method)} has an id that is neither a whole number nor a short string`);
    }
    return { kind: 'request', message: message as unknown as RequestMessage & { id: Id } };
  }
  onlyFields(message, notificationFields);
  if (method === cancelMethod) return readCancellation(params);
  // vscode-jsonrpc handles `$/progress` and `$/logTrace` by itself, but they are not part of this protocol.
  if (method.startsWith('$/')) throw unknownNotification(method);
  return { kind: 'notification', message: message as unknown as NotificationMessage };
}

function readCancellation(params: Message): Envelope {
  onlyFields(params, cancellationFields);
  const { id } = params;
  if (!isId(id)) throw malformed('cancels something that is not a request');
  return { kind: 'cancellation', id };
}

function readAnswer(message: Message): Envelope {
  const { error } = message;
  if (Object.hasOwn(message, 'error') === Object.hasOwn(message, 'result')) {
    throw malformed('must have either a result or an error');
  }
  onlyFields(message, answerFields);
  if (Object.hasOwn(message, 'error')) {
    if (!isObject(error)) throw malformed('has an error that is not an object');
    onlyFields(error, errorFields);
    if (!Number.isSafeInteger(error['code'])) throw malformed('has an error whose code is not a whole number');
    if (typeof error['message'] !== 'string') throw malformed('has an error whose message is not a string');
  }
  return { kind: 'answer', message: message as unknown as ResponseMessage };
}

const notificationFields = new Set(['jsonrpc', 'method', 'params']);
const requestFields = new Set(['jsonrpc', 'id', 'method', 'params']);
const answerFields = new Set(['jsonrpc', 'id', 'result', 'error']);
const errorFields = new Set(['code', 'message', 'data']);
const cancellationFields = new Set(['id']);

function onlyFields(object: Message, known: ReadonlySet<string>): void {
  for (const field of Object.keys(object))
    if (!known.has(field)) throw malformed(`has an unknown field ${quote(field)}`);
}

function isObject(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' ? id.length <= maxIdLength : Number.isSafeInteger(id);
}

/** The error for a message that breaks the rules. `why` says how. */
export function malformed(why: string): SandboxError {
  return new SandboxError('protocol_error', oneLine(`A message ${why}.`));
}

/** The error for a notification with an unknown method. */
export function unknownNotification(method: string): SandboxError {
  return new SandboxError('protocol_error', `Unknown notification ${quote(method)}.`);
}
