import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';

/** Codes of JSON-RPC, and the code for a missing resource in MCP before 2026-07-28. */
export const errorCodes = { invalidRequest: -32600, invalidParams: -32602, resourceNotFound: -32002 } as const;

/**
 * The longest message of a client, in bytes. It is far longer than the longest script, so that a script over its limit
 * still gets an answer that names the limit.
 */
export const maxMessageBytes = 16 * 1024 * 1024;

/** The most fields, lists and objects of a message. */
export const maxMessageItems = 1_000_000;

export interface Problem {
  code: number;
  message: string;
}

/**
 * The id of a request, even of one whose method is missing or wrong; `undefined` for another message, and for an id
 * that no answer could carry.
 */
export function idOf(message: unknown): RequestId | undefined {
  if (!isObject(message)) return undefined;
  // A message with a result or an error is an answer.
  if (!Object.hasOwn(message, 'method') && ['result', 'error'].some((field) => Object.hasOwn(message, field))) {
    return undefined;
  }
  const { id } = message;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

const scalar = String.raw`(?:"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?)`;
const field = String.raw`"[^"\\]*"\s*:\s*${scalar}`;
const idField = String.raw`"id"\s*:\s*(${scalar})`;
const idFirst = new RegExp(String.raw`^\s*\{\s*(?:${field}\s*,\s*)*?${idField}`);
const idLast = new RegExp(String.raw`,\s*${idField}\s*(?:,\s*${field}\s*)*\}\s*$`);

/**
 * The id of a message of which only the start and the end were kept. Only fields that hold a text or a number may stand
 * between the id and its edge, because an id behind a brace may be one of the arguments.
 */
export function idAtEdges(start: string, end: string): RequestId | undefined {
  const id = (idFirst.exec(start) ?? idLast.exec(end))?.[1];
  return id === undefined ? undefined : (JSON.parse(id) as RequestId);
}

/** The problem of a request's envelope, as a sentence. The handler of the request checks the params themselves. */
export function problemOf(message: object): Problem | undefined {
  const { jsonrpc, id, method, params } = message as Record<string, unknown>;
  if (typeof id === 'number' && !Number.isInteger(id)) {
    return invalidRequest('The field id must be a string or a whole number.');
  }
  if (jsonrpc !== '2.0') return invalidRequest('The field jsonrpc must be "2.0".');
  if (typeof method !== 'string') return invalidRequest('The field method must be a string.');
  if (params === undefined) return undefined;
  if (!isObject(params)) return invalidParams(`The params of ${method} must be an object.`);
  const { _meta: meta } = params;
  if (meta === undefined) return undefined;
  if (!isObject(meta)) return invalidParams('The field params._meta must be an object.');
  const { progressToken } = meta;
  const isToken = ['undefined', 'string'].includes(typeof progressToken) || Number.isInteger(progressToken);
  return isToken
    ? undefined
    : invalidParams('The field params._meta.progressToken must be a string or a whole number.');
}

/**
 * Before 2026-07-28 a missing resource has a code of its own. The SDK uses the newer code in every version, with the
 * URI as its only data.
 */
export function withOldCode(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== errorCodes.invalidParams) return message;
  const { data } = message.error;
  const isMissing = isObject(data) && typeof data['uri'] === 'string' && Object.keys(data).length === 1;
  return isMissing ? { ...message, error: { ...message.error, code: errorCodes.resourceNotFound } } : message;
}

interface Issue {
  path: (string | number)[];
  message: string;
}

/**
 * The answer with its problems as sentences. When params do not match a schema, the SDK answers with the JSON of zod's
 * issues, sometimes as an internal error.
 */
export function inSentences(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message)) return message;
  const { error } = message;
  const issues = issuesIn(error.message);
  if (issues === undefined) return message;
  const problems = issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return { ...message, error: { ...error, code: errorCodes.invalidParams, message: `${problems.join('; ')}.` } };
}

function issuesIn(text: string): Issue[] | undefined {
  const json = /\[\s*\{[\s\S]*\}\s*\]$/.exec(text)?.[0];
  if (json === undefined) return undefined;
  try {
    const issues = JSON.parse(json) as Issue[];
    return issues.every(({ path, message }) => Array.isArray(path) && typeof message === 'string') ? issues : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalidRequest(message: string): Problem {
  return { code: errorCodes.invalidRequest, message };
}

function invalidParams(message: string): Problem {
  return { code: errorCodes.invalidParams, message };
}
