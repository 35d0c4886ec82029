import type { IncomingMessage } from 'node:http';
import { isJsonContentType, type RequestId } from '@modelcontextprotocol/server';
import { assertMessageShape, messageOf } from '@mustard-sandbox/protocol';
import { refused, type Memory } from '@mustard-sandbox/remote/door';
import { errorCodes, idOf, maxMessageBytes, maxMessageItems, problemOf } from '../requests.ts';

const parseError = -32700;

/** A message of a client, or the refusal of anything else. */
export type Body = { message: object } | { refusal: Response };

/**
 * Reads the whole message of a request, and checks its envelope as on stdio.
 *
 * @param arriving the memory that all messages of the user may take
 * @throws {SandboxError} `invalid_request` with the status 413, 415 or 429
 */
export async function readMessage(incoming: IncomingMessage, arriving: Memory): Promise<Body> {
  if (!isJsonContentType(incoming.headers['content-type'])) {
    throw refused(415, 'The Content-Type must be application/json.');
  }
  const bytes = await readWhole(incoming, arriving);
  let message: unknown;
  try {
    message = JSON.parse(bytes.toString());
  } catch {
    return refuse(null, parseError, 'The body is not JSON.');
  }
  const id = idOf(message) ?? null;
  try {
    assertMessageShape(bytes, maxMessageItems);
  } catch (error) {
    return refuse(id, errorCodes.invalidRequest, messageOf(error));
  }
  if (typeof message !== 'object' || message === null) {
    return refuse(null, errorCodes.invalidRequest, 'The body is not a JSON-RPC message.');
  }
  const problem = id === null || Array.isArray(message) ? undefined : problemOf(message);
  return problem === undefined ? { message } : refuse(id, problem.code, problem.message);
}

/** A JSON-RPC error as the answer to a request. */
export function refuse(id: RequestId | null, code: number, message: string, status = 400): { refusal: Response } {
  return { refusal: Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status }) };
}

async function readWhole(incoming: IncomingMessage, arriving: Memory): Promise<Buffer> {
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > maxMessageBytes) throw tooLong();
  const held = arriving.count();
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of incoming as AsyncIterable<Buffer>) {
      length += part.length;
      if (length > maxMessageBytes) throw tooLong();
      if (!held.set(length))
        throw refused(
          429,
          'Your messages that have not arrived completely take too much memory. Wait for some to arrive.',
        );
      parts.push(part);
    }
    return Buffer.concat(parts);
  } finally {
    held.set(0);
  }
}

function tooLong(): Error {
  return refused(
    413,
    `A message may have at most ${maxMessageBytes} bytes. Upload a file instead of sending its content.`,
  );
}
