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
import type { Connection, Question } from './connection.ts';
import type { Progress } from './progress.ts';
import type { Tickets } from './tickets.ts';

/** How long a reply may take, in s. */
export const questionSeconds = 30 * 60;

/** A question about a folder, in addition to those of the tools. */
export type FolderQuestion = ConsentRequest & { isFolder: true };

/** What is asked, with the answers that allow it: once, and always if that means something else. */
interface Asked {
  question: string;
  once: string;
  always?: string;
}

const script = {
  question: 'Run this script?',
  once: 'Allow this script',
  always: 'Allow all scripts until the server ends',
};
/** The second answer allows exactly this command from now on. */
const command = {
  question: 'Run this command?',
  once: 'Allow this command',
  always: 'Allow this very command until the server ends',
};
const read = {
  question: 'Let the model read this file?',
  once: 'Allow this read',
  always: 'Allow all reads of this folder until the server ends',
};
const write = {
  question: 'Let the model write this file?',
  once: 'Allow this write',
  always: 'Allow writes until the server ends, except of files that run by themselves',
};
/** For a file that runs by itself, "always" allows only the same content again. */
const running = { ...write, always: 'Allow this very content of the file until the server ends' };

const openFolder = { question: 'Let scripts read in this folder?', once: 'Open this folder until the server ends' };

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
    return answerOf(await progress.asking(server.elicitInput(formOf(request), options)), askedOf(request));
  };
}

/**
 * Asks as the protocol requires since 2026-07-28: the question is the result of the call, which the client then sends
 * again with the reply.
 *
 * @returns that result, or the reply as a consent function; `undefined` when there is nothing to ask in this way
 * @throws {SandboxError} like `execute` of the tool
 */
export async function askBefore(
  getConsentRequest: (args: Record<string, unknown>) => Promise<ConsentRequest | undefined>,
  args: Record<string, unknown>,
  { server, questions }: Connection,
  context: ServerContext,
): Promise<InputRequiredResult | ConsentFunction | undefined> {
  const { mcpReq } = context;
  if (mcpReq.envelope === undefined || !canAsk(capabilitiesOf(server, context))) return undefined;
  const request = await getConsentRequest(args);
  if (request === undefined) return undefined;
  // The key holds the hash of the script, so a reply to one script does not count for another.
  const key = `consent-${createHash('sha256').update(request.script).digest('hex').slice(0, 16)}`;
  const response = inputResponse(mcpReq.inputResponses, key);
  if (response.kind === 'elicit' && (await wasAsked(mcpReq.requestState(), key, questions))) {
    return async () => answerOf(response, askedOf(request));
  }
  const requestState = await questions.issue({ key });
  return inputRequired({ inputRequests: { [key]: inputRequired.elicit(formOf(request)) }, requestState });
}

/** Whether a reply counts. It counts once, and only for a question that this server has asked. */
async function wasAsked(state: unknown, key: string, questions: Tickets<Question>): Promise<boolean> {
  const question = typeof state === 'string' ? await questions.redeem(state) : undefined;
  return question?.key === key;
}

/** Anything but one of the two answers that the form offers counts as a no. */
function answerOf({ action, content }: Reply, { once, always }: Asked): ConsentAnswer {
  const permission = action === 'accept' ? content?.['permission'] : undefined;
  if (permission !== undefined && permission === always) return 'allow-always';
  return permission === once ? 'allow-once' : 'deny';
}

function askedOf({ command: shell, file, ...rest }: ConsentRequest | FolderQuestion): Asked {
  if ('isFolder' in rest) return openFolder;
  if (shell !== undefined) return command;
  if (file === undefined) return script;
  if (file.action === 'read') return read;
  return file.why === undefined ? write : running;
}

function formOf(request: ConsentRequest): ElicitRequestFormParams {
  const { question, once, always } = askedOf(request);
  return {
    mode: 'form',
    message: `${question}\n\n${request.preview}`,
    requestedSchema: {
      type: 'object',
      properties: {
        permission: {
          type: 'string',
          title: 'Permission',
          enum: always === undefined ? [once] : [once, always],
          default: once,
        },
      },
      required: ['permission'],
    },
  };
}
