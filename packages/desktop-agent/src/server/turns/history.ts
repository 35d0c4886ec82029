// What a model gets of the turns before.
import type { AssistantModelMessage, ModelMessage } from 'ai';
import type { Message, Part, Proposal, WorkPlan } from '../../shared/contract/index.ts';

/** What a cancelled answer ends with, for the next turn of the model. People have the state of the message. */
const cancelledMark = '[Response cancelled by user]';

/** One message of the chat, with what the model had of it. */
export interface PastMessage {
  message: Message;
  modelMessages: unknown[] | null;
  /** What became of its scripts after its end. */
  later?: readonly string[];
}

export interface HistoryOptions {
  /** How many turns before this one; none: all. */
  turns?: number;
  /** Whether calls of tools stay calls. Without tools, providers refuse them: they become text. */
  tools: boolean;
}

/** The turns before, oldest first, since the last summary and with that. It never begins with an answer. */
export function historyOf(past: readonly PastMessage[], { turns, tools }: HistoryOptions): ModelMessage[] {
  const summarized = past.findLastIndex(({ message }) => summaryIn(message) !== undefined);
  const since = past.slice(summarized + 1);
  const summary = summarized === -1 ? [] : asHistory(summaryIn(past[summarized]!.message) ?? '');
  const sent = since.flatMap(({ message }, index) => (message.role === 'user' ? [index] : []));
  const first = sent.at(turns === undefined ? 0 : -turns) ?? sent[0] ?? since.length;
  const messages = since.slice(first).flatMap(toModelMessages);
  return inTurns([...summary, ...(tools ? messages : messages.flatMap(withoutCalls))]);
}

/** Whether it is a summary of what was before, also one that failed. */
export function isSummary({ parts }: Pick<Message, 'parts'>): boolean {
  return parts[0]?.type === 'summary';
}

/** The summary that a message is, where it is whole. */
function summaryIn({ parts: [first], state }: Pick<Message, 'parts' | 'state'>): string | undefined {
  return first?.type === 'summary' && state === 'complete' ? first.text : undefined;
}

function asHistory(summary: string): ModelMessage[] {
  return [
    { role: 'user', content: 'Sum up what we have said and done so far: it is left out from here on, to make room.' },
    { role: 'assistant', content: summary },
  ];
}

function toModelMessages({ message, modelMessages, later = [] }: PastMessage): ModelMessage[] {
  if (isSummary(message)) return [];
  const notes = later.map((content): ModelMessage => ({ role: 'assistant', content }));
  return [...saidIn({ message, modelMessages }), ...afterwards(message), ...notes];
}

function saidIn({ message, modelMessages }: PastMessage): ModelMessage[] {
  if (modelMessages !== null) return modelMessages as ModelMessage[];
  const text = writtenIn(message.parts);
  return text === '' ? [] : [{ role: message.role, content: text }];
}

const decisions: Record<Proposal['state'], string> = {
  pending: 'The person has not decided about this proposal yet: the app is as before.',
  applying: 'This proposal is being applied.',
  approved: 'The person approved this proposal: the app is changed.',
  rejected: 'The person rejected this proposal: the app is as before.',
  failed: 'This proposal could not be applied: the app is as before.',
};

const planDecisions: Record<WorkPlan['state'], string> = {
  pending: 'The person has not decided about this plan yet: nothing of it is to be done.',
  approved: 'The person approved this plan, maybe with changes.',
  rejected: 'The person rejected this plan: nothing of it is to be done.',
  ended: 'The person approved this plan and ended it later: it is followed no longer.',
};

/** So many of a kind are named to a model. */
const maxTold = 50;

const takenBack = 'This proposal was applied and then taken back: what it changed is not in the app any more.';

/** What became of an answer, which the model cannot know. */
function afterwards({ proposal, state, workPlan }: Message): ModelMessage[] {
  const notes: string[] = [];
  if (state === 'cancelled') notes.push(cancelledMark);
  if (workPlan !== null) notes.push(`[${planDecisions[workPlan.state]}]`);
  if (proposal !== null) notes.push(`[${proposal.undone === undefined ? decisions[proposal.state] : takenBack}]`);
  if (proposal?.leftOut !== undefined) {
    const paths = proposal.leftOut.map((path) => JSON.stringify(path)).join(', ');
    notes.push(`[Left out of this proposal, because these changes are refused: ${paths}. Do not propose them again.]`);
  }
  if (proposal?.misplaced !== undefined) notes.push(`[${misplacedWords(proposal.misplaced)}]`);
  if (proposal?.state === 'approved') notes.push(...chosenWords(proposal));
  return notes.map((content) => ({ role: 'assistant', content }));
}

/** For the model: which of its edits do not fit, and why. */
export function misplacedWords(misplaced: NonNullable<Proposal['misplaced']>): string {
  const each = misplaced.slice(0, maxTold).map(({ path, why }) => `- ${path}: ${why}`);
  const more = misplaced.length > maxTold ? [`- and ${misplaced.length - maxTold} more`] : [];
  return ['These edits do not fit their files, so they are left out of the proposal:', ...each, ...more].join('\n');
}

/** What the person made of it. */
function chosenWords({ declined = [], files }: Proposal): string[] {
  const edited = files.filter((file) => file.edited === true).map(({ path }) => JSON.stringify(path));
  const notes: string[] = [];
  if (declined.length > 0) {
    const named = declined.slice(0, maxTold).map((one) => JSON.stringify(one));
    notes.push(`[The person approved a part of it and left these out: ${named.join(', ')}.]`);
  }
  if (edited.length > 0) notes.push(`[The person changed these files before they were applied: ${edited.join(', ')}.]`);
  return notes;
}

/** What stands in the texts of a message. */
export function writtenIn(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

function withoutCalls(message: ModelMessage): ModelMessage[] {
  if (message.role === 'tool') {
    const text = message.content.flatMap((part) => {
      if (part.type !== 'tool-result') return [];
      const { output } = part;
      const value = 'value' in output ? output.value : '';
      return [`[${part.toolName} gave: ${typeof value === 'string' ? value : JSON.stringify(value)}]`];
    });
    return [{ role: 'assistant', content: text.join('\n') }];
  }
  if (message.role !== 'assistant' || typeof message.content === 'string') return [message];
  const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return [{ role: 'assistant', content: text.join('\n') }];
}

/** Providers refuse messages without content, and some want the roles to take turns. */
function inTurns(messages: readonly ModelMessage[]): ModelMessage[] {
  const merged: ModelMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (message.content.length === 0) continue;
    if (message.role === 'assistant' && last?.role === 'assistant') {
      merged[merged.length - 1] = {
        role: 'assistant',
        content: [...partsOf(last.content), ...partsOf(message.content)],
      };
    } else merged.push(message);
  }
  return merged;
}

function partsOf(content: AssistantModelMessage['content']): Exclude<AssistantModelMessage['content'], string> {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** A prepared message as it is kept: JSON has no bytes. */
export function toStored(messages: readonly ModelMessage[]): unknown[] {
  return messages.map((message) => {
    if (typeof message.content === 'string') return message;
    const content = (message.content as Record<string, unknown>[]).map((part) => {
      if (part['image'] instanceof Uint8Array) return { ...part, image: base64(part['image']) };
      if (part['data'] instanceof Uint8Array) return { ...part, data: base64(part['data']) };
      return part;
    });
    return { ...message, content };
  });
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
