import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { argumentsOf, codeAt, coverageOf } from '@mustard-sandbox/code-mode';
import { oneLine } from '@mustard-sandbox/protocol';
import type { AuditRecord, Decision, Run, RunCall } from '@mustard-sandbox/runs';

/** The longest text that a form of a client shows well. A longer call waits for a person who looks at it elsewhere. */
const longestQuestion = 30_000;
const mostDone = 20;
/** How many calls are asked about at once. Others are asked about later. */
const mostAtOnce = 10;

type Answers = Record<string, (id: number) => Decision>;

/** The answers to a proposal, which is decided as a whole. */
const proposing: Answers = {
  'Make all of these calls': () => ({ proposal: 'approve' }),
  'Make none of them': () => ({ proposal: 'deny', why: no }),
};

const no = 'a person said no';
const allow: Answers = { 'Allow this call': (id) => ({ id, approve: true }) };
const deny: Answers = { Deny: (id) => ({ id, deny: no }) };
const approving: Answers = { ...allow, ...deny };
const remembering: Answers = {
  ...allow,
  'Allow such calls in this run': (id) => ({ id, approve: true, remember: 'run' }),
  'Always allow such calls': (id) => ({ id, approve: true, remember: 'always' }),
  ...deny,
};
const outcomes: Answers = {
  'It was not done': (id) => ({ id, outcome: 'not_done' }),
  'Make it again': (id) => ({ id, outcome: 'try_again' }),
};

/** A call of a run that a person decides on, or the first call of a proposal, which stands for all of it. */
export interface Question {
  call: RunCall;
  form: ElicitRequestFormParams;
}

/** A reply in the form of a form's reply. */
export interface Reply {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, unknown> | undefined;
}

/** The questions of a run that a form can ask a person. */
export function questionsOf(
  { calls, waitsFor }: Pick<Run, 'calls' | 'waitsFor'>,
  script: string,
  audit: readonly AuditRecord[],
): Question[] {
  if (waitsFor.includes('proposal')) return proposalOf(calls.filter(({ state }) => state === 'proposed'));
  const askable = calls.filter((call) => call.state !== 'proposed' && answersOf(call) !== undefined);
  return askable.slice(0, mostAtOnce).flatMap((call) => {
    const message = messageOf(call, script, audit);
    return message.length > longestQuestion ? [] : [{ call, form: formOf(call, message) }];
  });
}

/** The decision that a reply stands for; `undefined` when a person has not decided. Declining is a no. */
export function decisionOf({ call }: Question, { action, content }: Reply, by: string): Decision | undefined {
  if (action === 'cancel') return undefined;
  const answers = answersOf(call) as Answers;
  if (action === 'decline') {
    if (call.state === 'proposed') return { proposal: 'deny', why: no, by };
    return call.state === 'approval' ? { id: call.id, deny: no, by } : undefined;
  }
  const said = String(content?.['decision']);
  const decision = Object.hasOwn(answers, said) ? answers[said]?.(call.id) : undefined;
  return decision && { ...decision, by };
}

function answersOf({ state, rule }: RunCall): Answers | undefined {
  if (state === 'unknown') return outcomes;
  if (state === 'proposed') return proposing;
  if (state !== 'approval') return undefined;
  return rule === undefined ? approving : remembering;
}

/** All calls of a proposal as one question; empty when that is more than a form shows well. */
function proposalOf(calls: readonly RunCall[]): Question[] {
  const [first] = calls;
  const listed = calls.map((call, index) => `${index + 1}. ${oneLine(call.tool)}\n${argumentsOf(call)}`);
  const message = ['The script has ended. Make these calls, in this order?', ...listed].join('\n\n');
  return first === undefined || message.length > longestQuestion ? [] : [{ call: first, form: formOf(first, message) }];
}

function messageOf(call: RunCall, script: string, audit: readonly AuditRecord[]): string {
  const { tool, state, line, rule } = call;
  const name = oneLine(tool);
  const question =
    state === 'unknown'
      ? `The server ended while ${name} was being called. Nobody knows whether it was done. What happened to it?`
      : `Let the script call ${name}?`;
  const done = audit.filter((record) => record.state === 'answered');
  return [
    question,
    argumentsOf(call),
    ...(line === undefined ? [] : [`Line ${line} of the script:\n${codeAt(script, line)}`]),
    `So far the script has called: ${done.length === 0 ? 'nothing' : doneText(done)}.`,
    ...(rule === undefined ? [] : [`“Such calls” are: ${coverageOf(rule)}.`]),
  ].join('\n\n');
}

function doneText(done: readonly AuditRecord[]): string {
  const last = done.slice(-mostDone).map(({ tool, failed }) => `${oneLine(tool)}${failed === true ? ' (failed)' : ''}`);
  const before = done.length - last.length;
  return [...(before > 0 ? [`${before} calls before`] : []), ...last].join(', ');
}

function formOf(call: RunCall, message: string): ElicitRequestFormParams {
  const choices = Object.keys(answersOf(call) as Answers);
  return {
    mode: 'form',
    message,
    requestedSchema: {
      type: 'object',
      properties: { decision: { type: 'string', title: 'Decision', enum: choices } },
      required: ['decision'],
    },
  };
}
