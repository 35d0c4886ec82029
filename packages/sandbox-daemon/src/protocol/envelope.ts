import { SandboxError } from './errors.ts';
import { oneLine, quote } from './text.ts';

/** Names a request while it is open. */
type Id = string | number;
type Fields = Record<string, unknown>;

/** The JSON-RPC error of an answer. */
export interface Failure {
  code: number;
  message: string;
  data?: unknown;
}

/** What a message is. */
export type Envelope =
  | { kind: 'request'; id: Id; method: string; params: Fields }
  | { kind: 'notification'; method: string; params: Fields }
  | { kind: 'cancellation'; id: Id }
  | { kind: 'answer'; id: unknown; result: unknown }
  | { kind: 'failure'; id: unknown; error: Failure };

export const cancelMethod = '$/cancelRequest';
const maxIdLength = 64;

/**
 * Reads the outside of a message: exactly the fields of JSON-RPC 2.0, params by name. What is inside them is for the
 * method's schema.
 *
 * @throws {SandboxError} `protocol_error`
 */
export function readEnvelope(message: Fields): Envelope {
  if (message['jsonrpc'] !== '2.0') throw malformed('is not JSON-RPC 2.0');
  if (!Object.hasOwn(message, 'method')) return readAnswer(message);
  const { method, params = {} } = message;
  if (typeof method !== 'string') throw malformed('has a method that is no string');
  if (!isObject(params)) throw malformed(`to ${quote(method)} has params that are no object`);
  if (Object.hasOwn(message, 'id')) {
    onlyFields(message, requestFields);
    const { id } = message;
    if (!isId(id)) throw malformed(`to ${quote(method)} has an id that is no whole number and no short string`);
    return { kind: 'request', id, method, params };
  }
  onlyFields(message, notificationFields);
  return method === cancelMethod ? readCancellation(params) : { kind: 'notification', method, params };
}

function readCancellation(params: Fields): Envelope {
  onlyFields(params, cancellationFields);
  const { id } = params;
  if (!isId(id)) throw malformed('cancels something that is no request');
  return { kind: 'cancellation', id };
}

function readAnswer(message: Fields): Envelope {
  const { id, error } = message;
  if (Object.hasOwn(message, 'error') === Object.hasOwn(message, 'result')) {
    throw malformed('must have either a result or an error');
  }
  onlyFields(message, answerFields);
  if (!Object.hasOwn(message, 'error')) return { kind: 'answer', id, result: message['result'] };
  if (!isObject(error)) throw malformed('has an error that is no object');
  onlyFields(error, errorFields);
  const { code, message: text, data } = error;
  if (!Number.isSafeInteger(code)) throw malformed('has an error whose code is no whole number');
  if (typeof text !== 'string') throw malformed('has an error whose message is no string');
  return { kind: 'failure', id, error: { code: code as number, message: text, data } };
}

const notificationFields = new Set(['jsonrpc', 'method', 'params']);
const requestFields = new Set(['jsonrpc', 'id', 'method', 'params']);
const answerFields = new Set(['jsonrpc', 'id', 'result', 'error']);
const errorFields = new Set(['code', 'message', 'data']);
const cancellationFields = new Set(['id']);

function onlyFields(object: Fields, known: ReadonlySet<string>): void {
  for (const field of Object.keys(object))
    if (!known.has(field)) throw malformed(`has an unknown field ${quote(field)}`);
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' ? id.length <= maxIdLength : Number.isSafeInteger(id);
}

/** A message that breaks the rules, and how. */
export function malformed(why: string): SandboxError {
  return new SandboxError('protocol_error', oneLine(`A message ${why}.`));
}
