import type { Message } from 'vscode-jsonrpc/node';
import { SandboxError } from './errors.ts';
import { oneLine, quote } from './text.ts';

type Id = string | number;
type Fields = Record<string, unknown>;

const cancelMethod = '$/cancelRequest';
const maxIdLength = 64;

/**
 * The requests that are open on one connection, and the rules that every message must keep: exactly the
 * fields of JSON-RPC 2.0, params by name, no id used twice at a time, no answer that nobody waits for.
 *
 * vscode-jsonrpc takes what breaks them in silence: of two open requests with one id it forgets the first,
 * an answer with neither result nor error leaves its request pending, positional params end up as the token.
 */
export class Ledger {
  /** Our requests. */
  readonly #asked = new Set<unknown>();
  /** The peer's requests, by id as text as the library keeps them, and whether they were cancelled. */
  readonly #owed = new Map<string, boolean>();

  sent({ method, id }: Message & { method?: string; id?: Id | null }): void {
    if (id === undefined || id === null) return;
    if (method === undefined) this.#owed.delete(String(id));
    else this.#asked.add(id);
  }

  /**
   * @returns whether the message is to be handled; a cancellation of what is over, or is cancelled, is not
   * @throws {SandboxError} `protocol_error`
   */
  received(message: Fields): boolean {
    if (message['jsonrpc'] !== '2.0') throw malformed('is not JSON-RPC 2.0');
    if (!Object.hasOwn(message, 'method')) {
      this.#receivedAnswer(message);
      return true;
    }
    const { method } = message;
    if (typeof method !== 'string') throw malformed('has a method that is no string');
    if (Object.hasOwn(message, 'params') && !isObject(message['params'])) {
      throw malformed(`to ${quote(method)} has params that are no object`);
    }
    if (Object.hasOwn(message, 'id')) {
      this.#receivedRequest(method, message);
      return true;
    }
    onlyFields(message, notificationFields);
    if (method === cancelMethod) return this.#receivedCancel((message['params'] ?? {}) as Fields);
    // The library has handlers of its own for some of these.
    if (method.startsWith('$/')) throw new SandboxError('protocol_error', `Unknown notification ${quote(method)}.`);
    return true;
  }

  #receivedRequest(method: string, message: Fields): void {
    onlyFields(message, requestFields);
    const { id } = message;
    if (!isId(id)) throw malformed(`to ${quote(method)} has an id that is no whole number and no short string`);
    const key = String(id);
    if (this.#owed.has(key)) throw malformed(`to ${quote(method)} has the id of a request that is still open`);
    this.#owed.set(key, false);
  }

  #receivedCancel(params: Fields): boolean {
    onlyFields(params, cancelFields);
    if (!isId(params['id'])) throw malformed('cancels something that is no request');
    const key = String(params['id']);
    if (this.#owed.get(key) !== false) return false;
    this.#owed.set(key, true);
    return true;
  }

  #receivedAnswer(message: Fields): void {
    const { id, error } = message;
    if (!this.#asked.delete(id)) throw malformed('answers no request that is open');
    if (Object.hasOwn(message, 'error') === Object.hasOwn(message, 'result')) {
      throw malformed('must have either a result or an error');
    }
    onlyFields(message, answerFields);
    if (error === undefined) return;
    if (!isObject(error)) throw malformed('has an error that is no object');
    onlyFields(error, errorFields);
    if (!Number.isSafeInteger(error['code'])) throw malformed('has an error whose code is no whole number');
    if (typeof error['message'] !== 'string') throw malformed('has an error whose message is no string');
  }
}

const notificationFields = new Set(['jsonrpc', 'method', 'params']);
const requestFields = new Set(['jsonrpc', 'id', 'method', 'params']);
const answerFields = new Set(['jsonrpc', 'id', 'result', 'error']);
const errorFields = new Set(['code', 'message', 'data']);
const cancelFields = new Set(['id']);

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

function malformed(why: string): SandboxError {
  return new SandboxError('protocol_error', oneLine(`A message ${why}.`));
}
