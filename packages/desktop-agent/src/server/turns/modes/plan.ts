// Plan: the model reads with the tools of the mode Agent, changes nothing, and ends with a plan.
import { createAttachmentTurn } from '@mustard-sandbox/agent-tool';
import type { ToolSet } from 'ai';
import { createTagParser } from '../../../shared/tags/parse.ts';
import type { SegmentOf } from '../../../shared/tags/segments.ts';
import { shortened, stepsIn } from '../../../shared/work-plan.ts';
import { oneLine } from '@mustard-sandbox/protocol/text';
import type { WorkPlan } from '../../../shared/contract/index.ts';
import { rulesFor } from '../app-files.ts';
import { Calls } from '../calls.ts';
import { historyOf } from '../history.ts';
import { prepareOnDisk } from '../prepare-message.ts';
import { systemPrompt } from '../prompts.ts';
import { SegmentParts } from '../segment-parts.ts';
import { speak } from '../speak.ts';
import { fileTools } from '../tools/files.ts';
import { PendingChanges } from '../tools/pending-changes.ts';
import { openScripts, scriptTools } from '../tools/script.ts';
import type { Answered, Turn } from '../turn.ts';
import { maxSteps } from './agent.ts';

export async function plan(turn: Turn): Promise<Answered> {
  const { app, chat, past, message, services, live } = turn;
  await using scripts = await openScripts(services, { chatId: chat.id, app });
  const prepared = await prepareOnDisk(turn, scripts);
  const attached = createAttachmentTurn({
    attachments: message.attachments.map(({ name }) => name),
    events: (event) => services.runs.tell(chat.id, event),
  });
  if (!scripts.tool.isEnabled()) attached.markDenied();
  const calls = new Calls();
  const [sandbox, sent] = await Promise.all([services.sandboxes.of(app), services.sent(chat.id)]);
  // Nothing is ever pending: there are no tools that write.
  const pending = new PendingChanges(app.path);
  const tools: ToolSet = {
    ...scriptTools(turn, scripts, calls, attached),
    ...fileTools(turn, { sandbox, pending, sent, attached }, calls),
  };
  const system = systemPrompt({ mode: 'plan', rules: await rulesFor(turn, { skills: true }), files: '' });
  const messages = [...historyOf(past, { tools: true }), prepared];
  const reader = new PlanReader(turn);
  const onText = (piece: string): void => reader.take(piece);
  const { ended } = await speak(turn, { system, messages, tools, calls, maxSteps, onText }).finally(() => reader.end());
  if (ended === 'steps') live.append('text', `\n\nStopped after ${maxSteps} steps. Send "go on" to continue.`);
  attached.end();
  return {};
}

/** Shows an answer while it streams, and its plan once that is whole: what is whole can be approved, also when it is stopped. */
class PlanReader {
  readonly #turn: Turn;
  readonly #parser = createTagParser('plan');
  readonly #parts: SegmentParts;
  #plan: SegmentOf<'plan'> | undefined;

  constructor(turn: Turn) {
    this.#turn = turn;
    this.#parts = new SegmentParts(turn.live);
  }

  take(piece: string): void {
    this.#parser.push(piece);
    this.#show();
  }

  end(): void {
    this.#parser.end();
    this.#show();
    this.#parts.end(this.#parser.segments);
  }

  #show(): void {
    const { segments } = this.#parser;
    this.#parts.show(segments);
    const last = segments.findLast((one): one is SegmentOf<'plan'> => one.type === 'plan' && one.done);
    if (last === this.#plan || last === undefined) return;
    this.#plan = last;
    const workPlan = workPlanOf(last.text);
    if (workPlan !== undefined) this.#turn.live.setWorkPlan(workPlan);
  }
}

/** What does not print is shown as its code: it is read before it is approved. */
function workPlanOf(text: string): WorkPlan | undefined {
  const { steps, more } = stepsIn(text);
  if (steps.length === 0) return undefined;
  const shown = steps.map((step) => ({ text: shortened(oneLine(step)) }));
  return { state: 'pending', steps: shown, more, revision: 0 };
}
