import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  inputResponse,
  type CallToolResult,
  type ElicitRequestFormParams,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { CodeModeResult, CodeModeTool } from '@mustard-sandbox/code-mode';
import type { Run } from '@mustard-sandbox/runs';
import { canAsk, capabilitiesOf } from '../capabilities.ts';
import { noTask, pollIntervalMs, requireTasks, taskAfterMs, taskSchema, type Task } from '../tasks.ts';
import { answerOf } from './answers.ts';
import { decide, userOf } from './decide.ts';
import { decisionOf, questionsOf, type Question } from './questions.ts';

type InputRequests = Record<string, { method: 'elicitation/create'; params: ElicitRequestFormParams }>;
type DetailedTask = Task & { inputRequests?: InputRequests; result?: CallToolResult };

interface Around {
  tool: CodeModeTool;
  server: Server;
  decideWith?: ((run: string) => string) | undefined;
}

/** Runs as tasks. A client gets a handle with which it asks for the state of the run, even after a restart of either side. */
export class Tasks {
  readonly #tool: CodeModeTool;
  readonly #server: Server;
  readonly #decideWith: ((run: string) => string) | undefined;
  /** Forms that a person has closed without an answer. The protocol never asks the same thing twice. */
  readonly #closed = new Set<string>();

  constructor({ tool, server, decideWith }: Around) {
    this.#tool = tool;
    this.#server = server;
    this.#decideWith = decideWith;
    server.setRequestHandler('tasks/get', { params: taskSchema }, ({ taskId }, context) => this.#get(taskId, context));
    server.setRequestHandler('tasks/update', { params: taskSchema }, ({ taskId }, context) =>
      this.#update(taskId, context),
    );
    server.setRequestHandler('tasks/cancel', { params: taskSchema }, ({ taskId }, context) =>
      this.#cancel(taskId, context),
    );
  }

  /** The result of a script that ends soon, or a task for a longer one. */
  async run(script: string, { mcpReq: { signal } }: ServerContext): Promise<CallToolResult> {
    // The id is random, because anyone who knows it has the run.
    const run = randomBytes(16).toString('hex');
    const cancel = new AbortController();
    const onAbort = (): void => cancel.abort();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const whole = this.#tool.execute({ script }, { id: run, signal: cancel.signal });
      const first = await Promise.race([whole, this.#isKept(run, whole)]);
      if (first !== undefined && first.status !== 'waiting') return answerOf(first);
      const task = await this.#taskOf(await this.#tool.runs.get(run), false);
      return { resultType: 'task', ...task } as unknown as CallToolResult;
    } finally {
      // The task outlives the request.
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Resolves after a while, but not before the run is in the store. It never does if the run ends before it is stored. */
  async #isKept(run: string, whole: Promise<CodeModeResult>): Promise<undefined> {
    const over = new AbortController();
    const end = (): void => over.abort();
    whole.then(end, end);
    do await sleep(taskAfterMs);
    while (!over.signal.aborted && (await this.#tool.runs.get(run).catch(() => undefined)) === undefined);
  }

  async #get(taskId: string, context: ServerContext): Promise<DetailedTask> {
    return await this.#taskOf(await this.#find(taskId, context), canAsk(capabilitiesOf(this.#server, context)));
  }

  /** Takes replies. One to a question that is no longer open does nothing. `Recovery` continues the run. */
  async #update(taskId: string, context: ServerContext): Promise<Record<string, never>> {
    const run = await this.#find(taskId, context);
    for (const question of await this.#questions(run)) {
      // The library takes the replies out of the params of every method.
      const reply = inputResponse(context.mcpReq.inputResponses, keyOf(question));
      if (reply.kind !== 'elicit') continue;
      const decision = decisionOf(question, reply, userOf(this.#server, context));
      if (decision === undefined) this.#closed.add(`${taskId} ${keyOf(question)}`);
      else await decide(this.#tool.runs, taskId, [decision]);
    }
    return {};
  }

  async #cancel(taskId: string, context: ServerContext): Promise<Record<string, never>> {
    await this.#find(taskId, context);
    await this.#tool.runs.cancel(taskId).catch((error: { code?: unknown }) => {
      if (error.code !== 'ended') throw error;
    });
    return {};
  }

  async #find(taskId: string, context: ServerContext): Promise<Run> {
    requireTasks(this.#server, context);
    return await this.#tool.runs.get(taskId).catch((error: { code?: unknown }) => {
      if (error.code !== 'not_found') throw error;
      throw noTask(taskId);
    });
  }

  async #taskOf(run: Run, mayAsk: boolean): Promise<DetailedTask> {
    const task = {
      taskId: run.id,
      createdAt: run.createdAt.toISOString(),
      lastUpdatedAt: run.updatedAt.toISOString(),
      ttlMs: run.expiresAt === undefined ? null : run.expiresAt.getTime() - run.createdAt.getTime(),
      pollIntervalMs,
    };
    switch (run.state) {
      case 'running':
        return { ...task, status: 'working', statusMessage: 'The script is running.' };
      case 'waiting': {
        const questions = mayAsk ? await this.#questions(run) : [];
        if (questions.length === 0) return { ...task, status: 'working', statusMessage: this.#waitingText(run) };
        return { ...task, status: 'input_required', inputRequests: requestsOf(questions) };
      }
      case 'cancelled':
        return { ...task, status: 'cancelled' };
      default: {
        const script = await this.#tool.runs.script(run.id);
        const result = answerOf(await this.#tool.execute({ script }, { id: run.id }));
        // The library adds `resultType` only to the answers of calls, so it is added here.
        return { ...task, status: 'completed', result: { resultType: 'complete', ...result } };
      }
    }
  }

  #waitingText({ id, waitsFor }: Run): string {
    if (waitsFor.every((what) => what === 'time')) return 'The script waits for an answer that comes later.';
    const decide = this.#decideWith === undefined ? '' : ` A person decides with: ${this.#decideWith(id)}`;
    return `The script waits for a person.${decide}`;
  }

  /** The questions of a run that a person can be asked here. */
  async #questions(run: Run): Promise<Question[]> {
    const { runs } = this.#tool;
    const [script, audit] = await Promise.all([runs.script(run.id), runs.audit(run.id)]);
    return questionsOf(run, script, audit).filter((question) => !this.#closed.has(`${run.id} ${keyOf(question)}`));
  }
}

/** The key of a question. There may be two about a call: whether it may be made, and what became of it. */
function keyOf({ call: { id, state } }: Question): string {
  return `call-${id}-${state}`;
}

function requestsOf(questions: readonly Question[]): InputRequests {
  return Object.fromEntries(
    questions.map((question) => [keyOf(question), { method: 'elicitation/create', params: question.form }]),
  );
}
