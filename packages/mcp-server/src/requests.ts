import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';

/** Of JSON-RPC, and the one for a missing resource of MCP before 2026-07-28. */
export const errorCodes = { invalidRequest: -32600, invalidParams: -32602, resourceNotFound: -32002 } as const;

interface Problem {
  code: number;
  message: string;
}

/** The id of a request; `undefined` for another message, and for an id that no answer could carry. */
export function idOf(message: unknown): RequestId | undefined {
  if (!isObject(message) || !Object.hasOwn(message, 'method')) return undefined;
  const { id } = message;
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : undefined;
}

/** The problem of a request's envelope, as a sentence. The handler of the request checks the params themselves. */
export function problemOf(message: object): Problem | undefined {
  const { jsonrpc, method, params } = message as Record<string, unknown>;
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
 * Before 2026-07-28 a missing resource has its own code. The SDK gives it the newer code in every version, with the URI
 * as its only data.
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
 * The same answer with its problems in sentences. When params do not match a schema, the SDK answers with the JSON of
 * zod's issues, sometimes as an internal error.
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
