import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  inputRequired,
  inputResponse,
  SdkError,
  type CallToolResult,
  type InputRequiredResult,
  type RequestStateCodec,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { CodeModeResult, CodeModeTool } from '@mustard-sandbox/code-mode';
import type { Decision } from '@mustard-sandbox/runs';
import { canAsk, capabilitiesOf } from '../capabilities.ts';
import { Progress } from '../progress.ts';
import { answerOf, refusal } from './answers.ts';
import { decide, userOf } from './decide.ts';
import { decisionOf, questionsOf, type Question, type Reply } from './questions.ts';

/** What a client gives back with its replies: which run they are for, and no more. */
export interface Handle {
  run: string;
}

interface Around {
  tool: CodeModeTool;
  server: Server;
  handles: RequestStateCodec<Handle>;
  decideWith?: ((run: string) => string) | undefined;
}

/** How long a form stays open. The run waits on. */
const formMs = 5 * 60_000;
/** How often a run is looked at that somebody else may decide on, or goes on with. */
const lookMs = 300;

type Answer = CallToolResult | InputRequiredResult;

/** Runs scripts for one client, and asks its user. */
export class Scripts {
  readonly #around: Around;

  constructor(around: Around) {
    this.#around = around;
  }

  async run(script: string, context: ServerContext): Promise<Answer> {
    const handle = context.mcpReq.requestState<Handle>();
    if (handle !== undefined) {
      const isOfIt = (await this.#around.tool.runs.script(handle.run)) === script;
      return isOfIt ? await this.#replied(handle.run, context) : refusal('The requestState is that of another script.');
    }
    const run = randomBytes(8).toString('hex');
    using progress = new Progress(context);
    await this.#around.tool.execute({ script }, { id: run, signal: cancelOf(context.mcpReq.signal) });
    return await this.#follow(run, context, progress);
  }

  /** The result of a run that waited; asks again where a person has still to decide. */
  async resume(run: string, context: ServerContext): Promise<Answer> {
    const handle = context.mcpReq.requestState<Handle>();
    if (handle !== undefined) {
      return handle.run === run
        ? await this.#replied(run, context)
        : refusal('The requestState is that of another run.');
    }
    using progress = new Progress(context);
    return await this.#follow(run, context, progress);
  }

  /** A call that the client makes again with what its user replied. */
  async #replied(run: string, context: ServerContext): Promise<Answer> {
    const { inputResponses } = context.mcpReq;
    const questions = await this.#questions(run);
    const replies = questions.map((question) => {
      const response = inputResponse(inputResponses, keyOf(question));
      return response.kind === 'elicit'
        ? decisionOf(question, response, userOf(this.#around.server, context))
        : undefined;
    });
    const decisions = replies.filter((decision) => decision !== undefined);
    await decide(this.#around.tool.runs, run, decisions);
    using progress = new Progress(context);
    // Who has closed the form is not asked at once again.
    if (decisions.length < questions.length) return this.#answer(await this.#settled(run, context));
    return await this.#follow(run, context, progress);
  }

  /** Until the run has ended, or waits for what nobody here will say. */
  async #follow(run: string, context: ServerContext, progress: Progress): Promise<Answer> {
    const { server, handles } = this.#around;
    for (;;) {
      const result = await this.#settled(run, context);
      const mayAsk = result.status === 'waiting' && canAsk(capabilitiesOf(server, context));
      const questions = mayAsk ? await this.#questions(run) : [];
      if (questions.length === 0) return this.#answer(result);
      // Since 2026-07-28 a server asks by answering.
      if (context.mcpReq.envelope !== undefined) {
        const inputRequests = Object.fromEntries(
          questions.map((question) => [keyOf(question), inputRequired.elicit(question.form)]),
        );
        return inputRequired({ inputRequests, requestState: await handles.mint({ run }, context) });
      }
      for (const question of questions) {
        const said = await this.#ask(run, question, context, progress);
        if (said === 'later') return this.#answer(await this.#settled(run, context));
        if (said !== 'elsewhere') await decide(this.#around.tool.runs, run, [said]);
      }
    }
  }

  /** `later`: nobody has decided. `elsewhere`: somebody did who was not asked here. */
  async #ask(
    run: string,
    question: Question,
    context: ServerContext,
    progress: Progress,
  ): Promise<Decision | 'later' | 'elsewhere'> {
    const { server } = this.#around;
    const elsewhere = new AbortController();
    const watch = setInterval(() => {
      void this.#isOpen(run, question).then(
        (isOpen) => isOpen || elsewhere.abort(),
        () => {},
      );
    }, lookMs);
    const signal = AbortSignal.any([context.mcpReq.signal, elsewhere.signal]);
    try {
      const options = { signal, timeout: formMs, relatedRequestId: context.mcpReq.id };
      const reply: Reply = await progress.asking(server.elicitInput(question.form, options));
      return decisionOf(question, reply, userOf(this.#around.server, context)) ?? 'later';
    } catch {
      return elsewhere.signal.aborted ? 'elsewhere' : 'later';
    } finally {
      clearInterval(watch);
    }
  }

  async #isOpen(run: string, { call: { id, state } }: Question): Promise<boolean> {
    const { calls } = await this.#around.tool.runs.get(run);
    return calls.some((call) => call.id === id && call.state === state);
  }

  async #questions(run: string): Promise<Question[]> {
    const { runs } = this.#around.tool;
    const [found, script, audit] = await Promise.all([runs.get(run), runs.script(run), runs.audit(run)]);
    return questionsOf(found, script, audit);
  }

  /** How the run stands once nobody works on it. */
  async #settled(run: string, { mcpReq: { signal } }: ServerContext): Promise<CodeModeResult> {
    const { tool } = this.#around;
    const script = await tool.runs.script(run);
    for (;;) {
      // Goes on with a run that is there, and gives how it stands.
      const result = await tool.execute({ script }, { id: run });
      if (result.status !== 'waiting' || signal.aborted) return result;
      if ((await tool.runs.get(run)).state !== 'running') return result;
      // Another process works on it.
      await sleep(lookMs);
    }
  }

  #answer(result: CodeModeResult): CallToolResult {
    return answerOf(result, this.#around.decideWith);
  }
}

function keyOf({ call }: Question): string {
  return `call-${call.id}`;
}

/** A client that cancels its call ends the run. One that is gone, or is restarted, finds it again. */
function cancelOf(signal: AbortSignal): AbortSignal {
  const cancel = new AbortController();
  const onAbort = (): void => {
    if (!(signal.reason instanceof SdkError)) cancel.abort(signal.reason);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return cancel.signal;
}
