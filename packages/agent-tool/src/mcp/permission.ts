import { createHash } from 'node:crypto';
import { messageOf } from '@mustard-sandbox/client';
import {
  inputRequired,
  inputResponse,
  SdkError,
  SdkErrorCode,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Decision, Denial } from '../tool/consent.ts';
import { Line } from '../tool/line.ts';
import { canAsk, capabilitiesOf } from './capabilities.ts';

const once = 'Allow this script';
const always = 'Allow all scripts until the server ends';

/** What the user is asked about. */
export interface Question {
  script: string;
  /** Plain text that shows it. */
  preview: string;
  /** Where the script may read; what is allowed for all scripts is allowed there. */
  folder: string | undefined;
}

type Reply = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, unknown> | undefined };

/** Asks the user through the client whether a script may run, one question at a time. */
export class Permission {
  readonly #server: Server;
  readonly #timeoutMs: number;
  /** Folders where all scripts are allowed. */
  readonly #always = new Set<string | undefined>();
  readonly #line = new Line();

  /** @param timeoutMs how long the user may take */
  constructor(server: Server, timeoutMs: number) {
    this.#server = server;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * The user's decision; or since 2026-07-28 the question as the answer to the request, which the client then sends
   * again with the reply.
   *
   * @throws {SandboxError} `cancelled` when the request is cancelled while another question is open
   */
  async decide(question: Question, context: ServerContext): Promise<Decision | InputRequiredResult> {
    if (this.#always.has(question.folder)) return { allowed: true };
    if (!canAsk(capabilitiesOf(this.#server, context))) return denial('no_consent_function');
    if (context.mcpReq.envelope !== undefined) return this.#decideByRetry(question, context);
    return await this.#line.inTurn(context.mcpReq.signal, async () => {
      // While this one waited, the one before may have been answered for all.
      if (this.#always.has(question.folder)) return { allowed: true };
      return await this.#ask(question, context);
    });
  }

  #decideByRetry(question: Question, { mcpReq }: ServerContext): Decision | InputRequiredResult {
    // Named after the script, so that a reply counts for no other one.
    const key = `consent-${createHash('sha256').update(question.script).digest('hex').slice(0, 16)}`;
    const response = inputResponse(mcpReq.inputResponses, key);
    if (response.kind === 'elicit') return this.#judge(question, response);
    const inputRequests = { [key]: inputRequired.elicit(formOf(question)) };
    return inputRequired({ inputRequests, requestState: 'asked' });
  }

  async #ask(question: Question, { mcpReq }: ServerContext): Promise<Decision> {
    try {
      // A dialog of a call that is cancelled closes with it.
      const options = { signal: mcpReq.signal, timeout: this.#timeoutMs, relatedRequestId: mcpReq.id };
      return this.#judge(question, await this.#server.elicitInput(formOf(question), options));
    } catch (error) {
      const isLate = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
      return { ...denial(isLate ? 'consent_timeout' : 'consent_failed'), problem: messageOf(error) };
    }
  }

  #judge({ folder }: Question, { action, content }: Reply): Decision {
    if (action !== 'accept') return denial('declined');
    if (content?.['permission'] === always) this.#always.add(folder);
    return { allowed: true };
  }
}

function formOf({ preview }: Question): ElicitRequestFormParams {
  return {
    mode: 'form',
    message: `Run this script?\n\n${preview}`,
    requestedSchema: {
      type: 'object',
      properties: {
        permission: { type: 'string', title: 'Permission', enum: [once, always], default: once },
      },
    },
  };
}

function denial(reason: 'declined' | 'no_consent_function' | 'consent_failed' | 'consent_timeout'): Denial {
  return { allowed: false, by: reason === 'declined' ? 'user' : 'error', reason };
}
