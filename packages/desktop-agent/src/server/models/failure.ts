// Explains to a person what went wrong with a model, why, and what to do.
import { AttachmentError } from '@mustard-sandbox/agent-tool';
import { oneLine } from '@mustard-sandbox/protocol/text';
import { SandboxError } from '@mustard-sandbox/client';
import {
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  RetryError,
  TypeValidationError,
} from 'ai';
import { AgentError } from '../../shared/contract/index.ts';
import { ConnectionFailed } from './bounded-fetch.ts';
import { withoutKeys } from './without-keys.ts';

/** The most characters of a provider's message that are quoted. */
const maxQuoted = 300;

/** What the message about a failure may name. */
export interface FailedModel {
  label: string;
  /** The name of who serves it, such as `Ollama on this machine`. */
  provider: string;
  /** The key and the headers of the request. No message shows them. */
  secrets?: readonly string[];
}

/** The stream ended before the model had finished. */
export class CutStreamError extends Error {
  override readonly name = 'CutStreamError';
}

/** The codes that providers give for a prompt that is too long, in the bodies of their errors. */
const contextCodes =
  /context_length_exceeded|context window|maximum context length|prompt is too long|input token count|exceeds the available context|n_ctx/i;

/** Says why the answer ended early. The text names no key, and quotes a provider in one printable line. */
export function describeFailure(error: unknown, model: FailedModel): string {
  const { label, provider } = model;
  // These errors, of attachments, sizes or git, already explain themselves.
  if (error instanceof AgentError || error instanceof SandboxError || error instanceof AttachmentError)
    return error.message;
  const cause = RetryError.isInstance(error) ? error.lastError : error;
  if (LoadAPIKeyError.isInstance(cause)) return `There is no key for ${provider}. Add one in Settings → Models.`;
  if (APICallError.isInstance(cause)) return ofAnswer(cause, model) ?? ofConnection(cause, model);
  if (TypeValidationError.isInstance(cause) || JSONParseError.isInstance(cause)) {
    return `${provider} sent something that is not part of an answer, so the answer of ${label} is incomplete. Try again; if it happens again, check that the address in Settings → Models is that of an OpenAI-compatible server.`;
  }
  if (InvalidResponseDataError.isInstance(cause) || cause instanceof CutStreamError) {
    return cut(provider);
  }
  return ofConnection(cause, model);
}

function ofAnswer(error: APICallError, { label, provider, secrets }: FailedModel): string | undefined {
  const { statusCode: status, responseBody: body = '' } = error;
  if (status === undefined || status < 400) return undefined;
  if ((status === 400 || status === 413 || status === 422 || status === 500) && contextCodes.test(body)) {
    return `The chat is longer than what ${label} can read at once. Compact it, begin a new chat, give it fewer files, or choose a model with a larger context.`;
  }
  if (status === 401 || status === 403) {
    return `${provider} does not accept the key (${status}). Set another one in Settings → Models.`;
  }
  const said = quoted(error, secrets);
  if (status === 404) return `${provider} does not have ${label} (404)${said}. Choose another model.`;
  if (status === 429) {
    return `${provider} takes no more requests now (429)${said}. Wait a little and send the message again, or choose another model.`;
  }
  if (status >= 500) {
    return `${provider} had an error of its own (${status})${said}. Send the message again; if it fails again, choose another model.`;
  }
  return `${provider} refused the request (${status})${said}. Choose another model, or begin a new chat.`;
}

function ofConnection(error: unknown, { provider, secrets }: FailedModel): string {
  const codes = codesOf(error);
  const reason = error instanceof ConnectionFailed ? error.reason : undefined;
  if (reason === 'refused' || codes.includes('ECONNREFUSED')) {
    return `Nothing answers where ${provider} should be: the connection was refused. Start it, or choose another model.`;
  }
  if (codes.includes('ENOTFOUND') || codes.includes('EAI_AGAIN')) {
    return `The address of ${provider} was not found. Check that this machine is online, and check the address in Settings → Models.`;
  }
  if (reason === 'timeout' || codes.some((code) => /TIMEOUT|ETIMEDOUT/.test(code))) {
    return `${provider} did not answer in time. Send the message again, or choose a faster model.`;
  }
  if (
    codes.some((code) => /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_ABORTED|ERR_STREAM_PREMATURE_CLOSE)$/.test(code))
  ) {
    return cut(provider);
  }
  return `The answer of ${provider} failed: ${wordsOf(error, secrets)}. Send the message again.`;
}

function cut(provider: string): string {
  return `The connection to ${provider} ended in the middle of the answer. What had arrived is kept. Send "go on" to get the rest.`;
}

/** The codes of an error and of what caused it. */
function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  for (let one = error, depth = 0; isObject(one) && depth < 5; one = one['cause'], depth++) {
    if (typeof one['code'] === 'string') codes.push(one['code']);
    if (Array.isArray(one['errors'])) codes.push(...one['errors'].flatMap(codesOf));
  }
  return codes;
}

function quoted(error: APICallError, secrets: FailedModel['secrets']): string {
  const words = wordsOf(error, secrets);
  return words === '' ? '' : `: “${words}”`;
}

function wordsOf(error: unknown, secrets: FailedModel['secrets']): string {
  const message = error instanceof Error ? error.message : isObject(error) ? error['message'] : error;
  const own = withoutKeys(typeof message === 'string' ? message : 'unknown', secrets ?? []);
  const text = oneLine(own).replace(/[.\s]+$/, '');
  // This finds keys that are not ours, such as a proxy's, and keys of which only the ends are shown.
  const safe = text.replace(/\b(?:sk|pk|key|AIza)[-_A-Za-z0-9*]{8,}/g, '…');
  return safe.length > maxQuoted ? `${safe.slice(0, maxQuoted)}…` : safe;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
