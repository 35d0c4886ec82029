import type { CallAnswer, HostError, SandboxValue } from '@mustard-sandbox/client';
import { RunError } from './errors.ts';
import type { DoneBefore } from './policy.ts';
import type { Loaded, StoredCall, Verdict } from './store/store.ts';
import type { Tools } from './tools.ts';
import type { RunState, WaitsFor } from './states.ts';
import type { AuditRecord, DecisionOnCall, Run, RunCall, RunProblem } from './types.ts';

/** A run as its host sees it. */
export function shown({ run, calls }: Loaded): Run {
  const { id, state, step, waitsFor, createdAt, updatedAt, expiresAt, outcome, forkOf } = run;
  const ended =
    outcome === undefined ? undefined : (JSON.parse(outcome) as { value?: SandboxValue; problem?: RunProblem });
  return {
    id,
    state,
    step,
    waitsFor,
    calls: calls.filter((call) => isShown(call, state)).map(shownCall),
    ...(ended?.problem === undefined ? ended : { problem: ended.problem }),
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
    ...(forkOf !== undefined && { forkOf }),
  };
}

/** Whether a call is shown with the run. A proposal that was made is left to the audit. */
function isShown({ use }: StoredCall, state: RunState): boolean {
  return use === 'open' || (use === 'proposed' && (state === 'waiting' || state === 'running'));
}

function shownCall({ id, tool, args, line, column, key, state, facts: { rule } }: StoredCall): RunCall {
  const place = line === undefined || column === undefined ? {} : { line, column };
  const shownRule = state === 'approval' && rule !== undefined ? { rule } : {};
  return { id, tool, args: JSON.parse(args) as SandboxValue[], ...place, key, state, ...shownRule };
}

/** The record of a call for the audit. */
export function recordOf({ id, tool, args, key, state, answer, facts }: StoredCall): AuditRecord {
  const { begunAt, decidedAt, madeAt, answeredAt, ruling, by, remembered, cost, answerBytes, answerHash } = facts;
  return {
    id,
    tool,
    args: JSON.parse(args) as SandboxValue[],
    key,
    state,
    begunAt: new Date(begunAt),
    ...(decidedAt !== undefined && { decidedAt: new Date(decidedAt) }),
    ...(madeAt !== undefined && { madeAt: new Date(madeAt) }),
    ...(answeredAt !== undefined && { answeredAt: new Date(answeredAt) }),
    ...(answer !== undefined && { failed: answer.startsWith('{"error":') }),
    ...(ruling !== undefined && { ruling }),
    ...(by !== undefined && { by }),
    ...(remembered !== undefined && { remembered }),
    ...(cost !== undefined && { cost }),
    ...(answerBytes !== undefined && { answerBytes }),
    ...(answerHash !== undefined && { answerHash }),
  };
}

/** What the run has done before a call, or so far. */
export function doneBefore(calls: readonly StoredCall[], call?: StoredCall): DoneBefore {
  const before = call === undefined ? calls : calls.filter(({ id }) => id < call.id);
  return {
    calls: before.map(({ tool, facts: { answerBytes = 0, cost = 0 } }) => ({ tool, answerBytes, cost })),
    rules: calls.flatMap(({ facts: { remembered, rule } }) => (remembered === undefined ? [] : [rule])),
  };
}

/**
 * The answer to a call, for the script. A call with a stand-in keeps it as its answer, even after the call was made.
 */
export function answerOf({ id, answer, facts: { standIn = answer } }: StoredCall): CallAnswer {
  return { id, ...(JSON.parse(standIn as string) as { value: unknown } | { error: HostError }) };
}

/**
 * The answers that come next. A script that was started again gets them in the same order as before, so that a race
 * ends in the same way.
 */
export function inOrder(answered: readonly StoredCall[]): StoredCall[] {
  const stepOf = ({ facts: { givenIn = Infinity } }: StoredCall): number => givenIn;
  const next = Math.min(...answered.map(stepOf));
  return answered.filter((call) => stepOf(call) === next);
}

/** JSON has no `undefined`, so a tool that returns nothing gives `null`. */
function textOf(answer: { value: unknown } | { error: HostError }): string {
  return JSON.stringify('error' in answer ? { error: answer.error } : { value: answer.value ?? null });
}

/** What open calls wait for. */
export function waitsForOf(calls: readonly StoredCall[]): WaitsFor[] {
  const names = {
    external: 'calls',
    approval: 'approvals',
    proposed: 'proposal',
    unknown: 'outcomes',
    ready: 'time',
  } as const;
  const all = calls.map(({ state }) => (state in names ? names[state as keyof typeof names] : undefined));
  return [...new Set(all.filter((each) => each !== undefined))];
}

/**
 * The effect of a decision on its call.
 *
 * @throws {RunError} `not_pending`, `wrong_decision`
 */
export function verdictOf(
  decision: DecisionOnCall & { by?: string },
  calls: readonly StoredCall[],
  tools: Tools,
): Verdict {
  const call = calls.find(({ id, use }) => id === decision.id && (use === 'open' || use === 'proposed'));
  if (call === undefined) throw new RunError('not_pending', `The run does not wait for call ${decision.id}.`);
  const { state: from } = call;
  const facts = { ...call.facts, decidedAt: Date.now(), ...(decision.by !== undefined && { by: decision.by }) };
  const to = (more: Verdict['to']): Verdict => ({ call: call.id, from, to: more });
  const answered = (answer: { value: unknown } | { error: HostError }): Verdict =>
    to({ state: 'answered', answer: textOf(answer), facts: { ...facts, answeredAt: facts.decidedAt } });
  if (from === 'approval' && 'approve' in decision) {
    const { remember } = decision;
    if (remember !== undefined && facts.rule === undefined) {
      throw new RunError('wrong_decision', `Call ${call.id} of ${call.tool}() has no rule that could be remembered.`);
    }
    const told = { ...facts, ruling: 'approved' as const, ...(remember !== undefined && { remembered: remember }) };
    return to({ state: tools.next(call.tool), answer: undefined, facts: told });
  }
  if (from === 'approval' && 'deny' in decision) {
    const message = `${call.tool}() was denied: ${decision.deny}`;
    const told = { ...facts, ruling: 'denied' as const, answeredAt: facts.decidedAt };
    const { cost: _, ...free } = told;
    return to({
      state: 'answered',
      answer: textOf({ error: { name: 'Error', message, code: 'capability_denied' } }),
      facts: free,
    });
  }
  const hasAnswer = 'value' in decision || 'error' in decision;
  if ((from === 'external' || from === 'unknown') && hasAnswer) return answered(decision);
  if (from === 'unknown' && 'outcome' in decision) {
    if (decision.outcome === 'try_again') return to({ state: tools.next(call.tool), answer: undefined, facts });
    return answered({ error: { name: 'Error', message: `${call.tool}() was not done.`, code: 'not_done' } });
  }
  const isOver = from === 'answered' || from === 'ready' || from === 'under_way';
  if (isOver) throw new RunError('not_pending', `Call ${call.id} of ${call.tool}() was decided already.`);
  throw new RunError('wrong_decision', `Call ${call.id} of ${call.tool}() waits for ${expected[from]}.`);
}

const expected = {
  proposed: "{ proposal: 'approve' } or { proposal: 'deny' }, for all of its calls",
  approval: '{ approve: true } or { deny: why }',
  external: '{ value } or { error }',
  unknown: "{ value }, { error }, { outcome: 'not_done' } or { outcome: 'try_again' }",
};
