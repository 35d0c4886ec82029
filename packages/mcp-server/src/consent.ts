import { createHash } from 'node:crypto';
import type { ConsentAnswer, ConsentFunction, ConsentRequest } from '@mustard-sandbox/agent-tool';
import {
  inputRequired,
  inputResponse,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { canAsk, capabilitiesOf } from './capabilities.ts';
import type { Connection } from './connection.ts';
import type { Progress } from './progress.ts';

const once = 'Allow this script';
const always = 'Allow all scripts until the server ends';
/** The same two answers for a command; the second allows exactly this command from now on. */
const commandOnce = 'Allow this command';
const commandAlways = 'Allow this very command until the server ends';

/** The tool itself ends a question that nobody answers. The timeout of the SDK must not come first. */
const noTimeoutMs = 2 ** 31 - 1;

type Reply = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, unknown> | undefined };

/** Asks the user through a form of the client; `undefined` for a client that cannot show one. */
export function consentThrough(
  { server }: Connection,
  context: ServerContext,
  progress: Progress,
): ConsentFunction | undefined {
  if (!canAsk(capabilitiesOf(server, context))) return undefined;
  return async (request, { signal }) => {
    // The signal closes the dialog when the call is cancelled.
    const options = { signal, timeout: noTimeoutMs, relatedRequestId: context.mcpReq.id };
    return answerOf(await progress.asking(server.elicitInput(formOf(request), options)));
  };
}

/**
 * Since 2026-07-28 a server asks by answering: the question is the result of the call, which the client then sends
 * again with the reply.
 *
 * @returns that result, or the reply as a consent function; `undefined` when there is nothing to ask in this way
 * @throws {SandboxError} as `execute` of the tool
 */
export async function askBefore(
  getConsentRequest: (args: Record<string, unknown>) => Promise<ConsentRequest | undefined>,
  args: Record<string, unknown>,
  { server }: Connection,
  context: ServerContext,
): Promise<InputRequiredResult | ConsentFunction | undefined> {
  const { mcpReq } = context;
  if (mcpReq.envelope === undefined || !canAsk(capabilitiesOf(server, context))) return undefined;
  const request = await getConsentRequest(args);
  if (request === undefined) return undefined;
  // The key holds the hash of the script, so a reply to one script does not count for another.
  const key = `consent-${createHash('sha256').update(request.script).digest('hex').slice(0, 16)}`;
  const response = inputResponse(mcpReq.inputResponses, key);
  if (response.kind === 'elicit') return async () => answerOf(response);
  return inputRequired({ inputRequests: { [key]: inputRequired.elicit(formOf(request)) }, requestState: 'asked' });
}

/** Anything but one of the two answers that the form offers is a no. */
function answerOf({ action, content }: Reply): ConsentAnswer {
  const permission = action === 'accept' ? content?.['permission'] : undefined;
  if (permission === always || permission === commandAlways) return 'allow-always';
  return permission === once || permission === commandOnce ? 'allow-once' : 'deny';
}

function formOf({ preview, command }: ConsentRequest): ElicitRequestFormParams {
  const [what, answers] =
    command === undefined ? ['script', [once, always]] : ['command', [commandOnce, commandAlways]];
  return {
    mode: 'form',
    message: `Run this ${what}?\n\n${preview}`,
    requestedSchema: {
      type: 'object',
      properties: {
        permission: { type: 'string', title: 'Permission', enum: answers, default: answers[0] as string },
      },
      required: ['permission'],
    },
  };
}
